// Has a canvas of a component paint on a brush that only writes down what it is told.

(canvas) => {
  const told = { texts: [], frames: [], fills: [], pictures: [] };
  const real = document.createElement("canvas").getContext("2d");
  const hex = (...rgb) => `#${rgb.map((n) => n.toString(16).padStart(2, "0")).join("")}`;
  let moved = [0, 0];
  const nothing = () => {};
  canvas.paintOn({
    ...Object.fromEntries(["beginPath", "moveTo", "lineTo", "rect", "clip", "stroke", "rotate"].map((name) => [name, nothing])),
    save: nothing,
    restore: () => (moved = [0, 0]),
    translate: (...by) => (moved = by),
    measureText: (text) => real.measureText(text),
    fillText(text, x, y) {
      told.texts.push({ text, x: x + moved[0], y: y + moved[1], colour: this.fillStyle });
    },
    strokeRect: (...box) => told.frames.push(box),
    fillRect(...box) {
      told.fills.push([this.fillStyle, ...box]);
    },
    // A picture of cells, one pixel for each: their colours, and where they lie.
    drawImage(image, left, top, columns, rows, x, y, width, height) {
      const pixels = image.getContext("2d").getImageData(left, top, columns, rows).data;
      const colours = Array.from({ length: columns * rows }, (_, n) => {
        const [r, g, b, alpha] = pixels.slice(4 * n, 4 * n + 4);
        return alpha ? hex(r, g, b) : "";
      });
      told.pictures.push({ x, y, width, height, rows, columns, colours, opacity: this.globalAlpha });
    },
  });
  return told;
};
