// Functions with which the tests read a page. They are loaded before every page's own code, like
// runs.js.

window.seen = (() => {
  const hex = (...rgb) => `#${rgb.map((n) => n.toString(16).padStart(2, "0")).join("")}`;
  const frame = () => new Promise(requestAnimationFrame);
  const box = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return { left, top, right, bottom };
  };
  const rests = new Map();

  return {
    // The exceptions that the page shows, after the last change is drawn.
    async faults() {
      for (let n = 0; n < 2; n++) await frame();
      return [...document.querySelectorAll("[data-testid=stException]")].map((each) => each.innerText);
    },

    // The box of an element that has not moved for four frames; false if the element was removed.
    async place(element) {
      let [before, now, frames] = ["", "", 0];
      for (; frames < 4; frames = now === before ? frames + 1 : 0) {
        await frame();
        [before, now] = [now, JSON.stringify(element.getBoundingClientRect())];
      }
      return element.isConnected && JSON.parse(now);
    },

    // Whether no element has moved or changed its size for this number of milliseconds.
    rests(elements, milliseconds) {
      const now = [...elements].map((each) => Object.values(box(each)).join()).join();
      const rest = rests.get(milliseconds) ?? { now: "", since: 0 };
      rests.set(milliseconds, rest);
      const moves = document
        .getAnimations() // those that are bound to scrolling always run
        .some((each) => each.playState === "running" && each.timeline === document.timeline);
      if (moves || now !== rest.now) Object.assign(rest, { now, since: performance.now() });
      return performance.now() - rest.since > milliseconds;
    },

    // The pictures and headings of the page that are partly outside the screen.
    beyond() {
      const SLACK = 2; // pixels
      const main = document.querySelector(".stMainBlockContainer");
      const roots = [main, ...[...main.querySelectorAll("*")].map((each) => each.shadowRoot)];
      const parts = roots.filter(Boolean).flatMap((root) => [...root.querySelectorAll("h2, canvas, svg, table, .tokens li, input")]);
      // Streamlit draws a slider itself; the input behind it is in a box of one pixel.
      const hidden = '.scroll, [style*="clip-path: inset(50%)"]';
      const shown = parts.filter((part) => part.checkVisibility({ visibilityProperty: true }) && !part.closest(hidden));
      return shown
        .map((part) => [part, part.getBoundingClientRect()])
        .filter(([, { width, height }]) => width && height)
        .filter(([, { left, top, right, bottom }]) => left < -SLACK || top < -SLACK || right > innerWidth + SLACK || bottom > innerHeight + SLACK)
        .map(([part, { right, bottom }]) => `${part.tagName} ${part.textContent.slice(0, 30)}: ${Math.round(right)}, ${Math.round(bottom)}`);
    },

    // The canvas of the large map with this key.
    map: (key = "map") =>
      [...document.querySelectorAll(`.st-key-${key} *`)].map((host) => host.shadowRoot?.querySelector("canvas")).find(Boolean),
    // The numbers of the cells of a large map, without hidden cells.
    weights(key) {
      const table = seen.map(key)?.closest(".root").querySelector("details");
      if (!table) return [];
      table.open = true; // the table is written when it is opened
      const cells = table.querySelectorAll("tbody td");
      return [...cells].filter((cell) => cell.textContent).map((cell) => Number(cell.textContent.replace("−", "-")));
    },
    // The colours of the cells of a large map, without hidden cells.
    fills(key) {
      const [picture] = seen.painted(seen.map(key)).pictures;
      const colours = picture.colours.filter(Boolean).map((code) => code.match(/[0-9a-f]{2}/g));
      return colours.map((colour) => colour.map((part) => parseInt(part, 16)));
    },
    same: (found, [wanted, within]) =>
      found.length === wanted.length && found.every((n, i) => Math.abs(n - wanted[i]) <= within),

    // The colour in the middle of each cell of each map of the grid, read from the canvas.
    grid(grid, [queries, keys]) {
      const corner = grid.getBoundingClientRect();
      const brush = grid.querySelector("canvas").getContext("2d");
      return [...grid.querySelectorAll(".tile")].flatMap((tile) => {
        const { left, top, width, height } = tile.getBoundingClientRect();
        return Array.from({ length: queries * keys }, (_, cell) => {
          const x = left - corner.left + (((cell % keys) + 0.5) * width) / keys;
          const y = top - corner.top + ((Math.floor(cell / keys) + 0.5) * height) / queries;
          return hex(...brush.getImageData(x, y, 1, 1).data.slice(0, 3));
        });
      });
    },

    // The text colour of a canvas, and the pixels in a box of the canvas: red, green, blue, alpha.
    pixels(canvas, box) {
      const scale = canvas.width / parseFloat(canvas.style.width);
      const { data } = canvas.getContext("2d").getImageData(...box.map((n) => Math.round(n * scale)));
      return [getComputedStyle(canvas).color.match(/[0-9]+/g).map(Number), [...data]];
    },

    // What a component paints on its canvas, recorded by a brush that paints nothing.
    painted(canvas) {
      const told = { texts: [], frames: [], fills: [], pictures: [], ribbons: [] };
      const real = document.createElement("canvas").getContext("2d");
      let [moved, turned, path] = [[0, 0], 0, []];
      const brush = {
        save: () => {},
        restore: () => ([moved, turned] = [[0, 0], 0]),
        translate: (...by) => (moved = by),
        rotate: (radians) => (turned = Math.round((radians * 180) / Math.PI)),
        rect: () => {},
        clip: () => {},
        measureText: (text) => real.measureText(text),
        beginPath: () => (path = []),
        moveTo: (...place) => path.push(place),
        lineTo: (...place) => path.push(place),
        bezierCurveTo: (...places) => path.push(places.slice(-2)),
        fill() {
          told.ribbons.push({ path, colour: this.fillStyle });
        },
        stroke() {
          if (path.length === 2) told.ribbons.push({ path, width: this.lineWidth, opacity: this.globalAlpha });
        },
        fillText(text, x, y) {
          told.texts.push({ text, x: x + moved[0], y: y + moved[1], colour: this.fillStyle, turned });
        },
        fillRect(...place) {
          told.fills.push({ place, colour: this.fillStyle });
        },
        strokeRect: (...place) => told.frames.push(place),
        // A picture with one pixel for each cell: the colours of the cells, and their position.
        drawImage(image, ...places) {
          const [x, y, width, height] = places.slice(-4);
          const [left, top, columns, rows] = places.length > 4 ? places : [0, 0, image.width, image.height];
          const pixels = image.getContext("2d").getImageData(left, top, columns, rows).data;
          const colours = Array.from({ length: columns * rows }, (_, n) => {
            const [r, g, b, alpha] = pixels.slice(4 * n, 4 * n + 4);
            return alpha ? hex(r, g, b) : "";
          });
          told.pictures.push({ x, y, width, height, rows, columns, colours, opacity: this.globalAlpha, smooth: this.imageSmoothingEnabled });
        },
      };
      canvas.paintOn(brush);
      return told;
    },

    // The boxes of the tour's bubble, of its spotlight, and of the elements that it should light
    // up.
    tour(target) {
      const root = [...document.querySelectorAll(".st-key-tour *")].map((host) => host.shadowRoot).find(Boolean);
      const [bubble, spot] = [".bubble", ".spot"].map((name) => root.querySelector(name));
      const parts = [...document.querySelectorAll(target)].filter((part) => part.checkVisibility());
      return { spot: spot.hidden ? null : box(spot), bubble: box(bubble), parts: parts.map(box), text: root.querySelector("p").textContent };
    },
    tourRests() {
      const root = [...document.querySelectorAll(".st-key-tour *")].map((host) => host.shadowRoot).find(Boolean);
      // longer than the time between two updates of the tour
      const rests = seen.rests(root.querySelectorAll(".spot, .bubble"), 450);
      return rests && !root.querySelector(".spot").hidden;
    },
  };
})();
