// The heads of a layer as ribbons, on a fake page without layout. The canvas is 100 pixels wide.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import { HeadLines } from "../../web/pictures/head_lines.js";

const MAX = 65535; // the number that represents `limit`
const PAYLOAD = {
  shape: [1, 2, 1, 2], // layers, heads, queries, keys
  cells: Uint16Array.of(MAX, 0, 0.2 * MAX, 0.8 * MAX),
  queries: ["q"],
  keys: ["k", "l"],
  head: null,
  limit: 0.5,
  directions: ["ltr", "ltr"],
  languages: ["en", "fr"],
  inFull: {},
  texts: {
    count: "{n} of {all}",
    drawn: "{n} of {all} from {least}",
    drawn_heads: "heads {heads},",
    head_number: "head {n}",
    least: "least",
    all: "all",
  },
};

function shown(changes = {}, height = 900) {
  const page = new FakePage();
  globalThis.innerHeight = height;
  const colours = "#111111 #222222";
  globalThis.getComputedStyle = () => ({
    getPropertyValue: (name) => (name === "--st-background-color" ? "white" : colours),
    fontFamily: "serif",
    color: "black",
  });
  const picture = new HeadLines(page.body);
  picture.canvas.clientWidth = 100;
  picture.show({ ...PAYLOAD, ...changes });
  picture.draw();
  const brush = picture.canvas.getContext("2d");
  const painted = (draw = () => picture.draw()) => {
    brush.painted = [];
    draw();
    return brush;
  };
  return { picture, painted };
}

test("ribbons are as wide as the weights of their head, and have the colour of the head", () => {
  // A row is 28 pixels high, of which 24 are for two heads. So a weight of 1 is 12 pixels wide.
  const fills = shown().painted().all("fill");
  assert.deepEqual(
    fills.map(({ fillStyle, globalAlpha }) => [fillStyle, globalAlpha]),
    [
      ["#111111", 0.6],
      ["#222222", 0.6],
      ["#222222", 0.6],
    ],
  );
  assert.deepEqual(fills[0].path, [
    [0, 2],
    [40, 2, 60, 2, 100, 2],
    [100, 14],
    [60, 14, 40, 14, 0, 14],
  ]);
  const rounded = (point) => point.map((n) => Math.round(10 * n) / 10);
  const third = fills[2].path; // weight 4/5 of the second head, to the second key
  assert.deepEqual(rounded(third[0]), [0, 16.4]); // 14 + 2.4
  assert.deepEqual(rounded(third[1].slice(-2)), [100, 43.2]); // 28 + 14 + 1.2
});

test("keys can be at the left: ribbons and arrow keys are mirrored", () => {
  const { picture, painted } = shown({ keysFirst: true });
  assert.ok(picture.root.classList.contains("keys-first"));
  const brush = painted();
  assert.deepEqual(brush.all("fill")[0].path, [
    [100, 2],
    [60, 2, 40, 2, 0, 2],
    [0, 14],
    [40, 14, 60, 14, 100, 14],
  ]);
  const mirrored = brush.all("fillText").map(({ x }) => x);
  const usual = shown().painted().all("fillText").map(({ x }) => x); // prettier-ignore
  assert.deepEqual(
    mirrored.map(Math.round),
    usual.map((x) => Math.round(100 - x)),
  );
  const reached = [];
  picture.lists[1].children[0].focus = () => reached.push("key");
  picture.key({ key: "ArrowLeft", preventDefault() {} }, { side: 0, position: 0 });
  assert.deepEqual(reached, ["key"]);
});

test("ribbons to special tokens are pale", () => {
  const fills = shown({ pale: [1] })
    .painted()
    .all("fill");
  assert.deepEqual(
    fills.map(({ globalAlpha }) => globalAlpha),
    [0.6, 0.6, 0.15],
  );
});

test("ribbons that a text speaks of have the colour of the next head", () => {
  const fills = shown({ head: 1, marked: [0] })
    .painted()
    .all("fill");
  assert.deepEqual(
    fills.map(({ fillStyle }) => fillStyle),
    ["#222222"],
  );
});

test("each head has its number on its widest ribbon, in a box around the middle", () => {
  const brush = shown().painted();
  const [one, two] = brush.all("fillText");
  assert.deepEqual([one.text, two.text], ["1", "2"]);
  // At a third of the first ribbon, whose middle is 8 pixels below its upper edge.
  assert.ok(Math.abs(one.y - 8.5) < 1e-9);
  const x = 100 * (1.2 * (4 / 27) + 1.8 * (2 / 27) + 1 / 27);
  assert.ok(Math.abs(one.x - x) < 1e-9);
  const half = 4 + 3.2;
  for (const what of ["fillRect", "strokeRect"]) {
    const [box] = brush.all(what).map((each) => each.box);
    [x - half, 1, 2 * half, 14].forEach((n, at) => assert.ok(Math.abs(box[at] - n) < 1e-9, what));
  }
  const [frame] = brush.all("strokeRect");
  assert.deepEqual([frame.strokeStyle, frame.lineWidth], ["#111111", 1.5]);
  assert.deepEqual([one.font, one.textAlign, one.fillStyle], ["11px serif", "center", "black"]);
});

test("a single head needs no number on its ribbons", () => {
  const { picture, painted } = shown({ head: 2 });
  assert.deepEqual(painted().all("fillText"), []);
  const texts = painted(() => picture.toggle(0))
    .all("fillText")
    .map(({ text }) => text);
  assert.deepEqual(texts, ["1", "2"]);
});

test("in a low window rows are lower, but not in a file or on paper", () => {
  const rowOf = (height, mark) => {
    const { picture } = shown({}, height);
    if (mark) document.documentElement.toggleAttribute(mark, true);
    picture.draw();
    return picture.rowHeight;
  };
  assert.deepEqual([rowOf(800), rowOf(799)], [28, 25]);
  assert.deepEqual([rowOf(799, "data-for-file"), rowOf(799, "data-paper")], [28, 28]);
});

test("if a token is held, the ribbons of a single head have their weights at the far ends", () => {
  const { picture, painted } = shown({ head: 2 });
  const texts = (side, position) => {
    const point = () => picture.point({ side, position });
    return painted(point)
      .all("fillText")
      .map(({ text, x }) => [text, Math.round(x)]);
  };
  assert.deepEqual(texts(0, 0), [
    ["0.10", 92], // a share of 0.2, with a limit of 0.5
    ["0.40", 92],
  ]);
  assert.deepEqual(texts(1, 1), [["0.40", 8]]);
});

test("on paper and in a file a line says which heads and which ribbons are drawn", () => {
  const { picture, painted } = shown();
  assert.ok(picture.drawn.hidden);
  for (const mark of ["data-paper", "data-for-file"]) {
    document.documentElement.toggleAttribute(mark, true);
    painted();
    assert.ok(!picture.drawn.hidden);
    assert.equal(picture.drawn.textContent, "heads 1, 2, 3 of 3 from 0.05");
    document.documentElement.removeAttribute(mark);
  }
});

test("ribbons below the threshold are neither painted nor counted", () => {
  const { picture, painted } = shown();
  assert.equal(picture.count.textContent, "3 of 3");
  picture.threshold.value = 0.3;
  assert.equal(painted().all("fill").length, 2);
  assert.equal(picture.count.textContent, "2 of 3");
  assert.equal(picture.thresholdValue.textContent, "0.15"); // relative to the limit
  picture.threshold.value = 0.8; // a ribbon exactly at the threshold stays
  assert.equal(painted().all("fill").length, 2);
  picture.threshold.value = 0;
  assert.equal(painted().all("fill").length, 3); // a weight of 0 has no ribbon
});

test("weights are found by head, query, key; a token shows the mean of visible heads", () => {
  const cells = Uint16Array.from([1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0], (n) => n * MAX);
  const shape = [1, 2, 2, 3];
  const { picture } = shown({ shape, cells, queries: ["q", "r"], keys: ["k", "l", "m"] });
  assert.deepEqual([picture.share(0, 1, 1), picture.share(1, 0, 0)], [1, 0]);
  assert.deepEqual([picture.share(1, 1, 0), picture.share(1, 0, 2)], [1, 0]);
  const shares = (side, position) => {
    picture.point({ side, position });
    return picture.lists.map((list) =>
      list.children.map(({ style }) => style.getPropertyValue("--share")),
    );
  };
  assert.deepEqual(shares(0, 1), [
    ["0", "1"],
    ["0.5", "1", "0"],
  ]);
  assert.deepEqual(shares(1, 0), [
    ["0.5", "0.5"],
    ["1", "0", "0"],
  ]);
  picture.toggle(0);
  assert.deepEqual(shares(1, 0)[0], ["0", "1"]);
});

test("squares switch heads on and off, and one button switches all of them", () => {
  const { picture } = shown();
  const pressed = () => picture.squares.map(({ ariaPressed }) => ariaPressed);
  assert.deepEqual([pressed(), picture.allButton.ariaPressed], [[true, true], true]);
  picture.toggle(0);
  assert.deepEqual([pressed(), picture.allButton.ariaPressed], [[false, true], false]);
  picture.toggle(0);
  assert.deepEqual(pressed(), [true, true]);
  picture.toggleAll();
  assert.deepEqual(pressed(), [true, false]);
  picture.toggleAll();
  assert.deepEqual(pressed(), [true, true]);
});

test("the visible heads stay visible until the page chooses another head", () => {
  const { picture } = shown();
  picture.toggle(0);
  picture.show({ ...PAYLOAD });
  assert.deepEqual(picture.shownHeads, [1]);
  picture.show({ ...PAYLOAD, head: 1 });
  assert.deepEqual(picture.shownHeads, [0]);
  picture.show({ ...PAYLOAD, head: null });
  assert.deepEqual(picture.shownHeads, [0, 1]);
});

test("the height of a row grows with the number of heads", () => {
  const cells = new Uint16Array(20);
  const { picture } = shown({ shape: [1, 10, 1, 2], cells });
  assert.equal(picture.rowHeight, 4 + 10 * 5);
  assert.equal(picture.canvas.style.height, "108px"); // two keys of 54 pixels
  assert.equal(shown().picture.rowHeight, 28);
});

test("on a projector the rows of a few tokens are higher", () => {
  const { picture } = shown();
  const rowOf = (keys) => {
    picture.payload = { ...picture.payload, shape: [1, 2, 1, keys] };
    picture.payload.cells = new Uint16Array(2 * keys);
    picture.draw();
    return picture.rowHeight;
  };
  document.documentElement.setAttribute("data-present", "");
  assert.deepEqual([2, 8, 11, 20].map(rowOf), [44, 38.5, 28, 28]);
  document.documentElement.removeAttribute("data-present");
  assert.equal(rowOf(2), 28);
});

test("a tip is to the right of the pointer, or to the left if it does not fit", () => {
  const { picture } = shown();
  const parent = picture.stage;
  parent.append(picture.tip);
  picture.tip.parentNode = parent;
  Object.assign(parent, { offsetWidth: 200, box: { left: 10, top: 20, width: 400, height: 100 } });
  picture.tip.offsetWidth = 50;
  const place = (clientX) => {
    picture.placeTip({ clientX, clientY: 40 }); // the page is shown at twice its size
    return [picture.tip.style.left, picture.tip.style.top];
  };
  assert.deepEqual(place(30), ["24px", "28px"]);
  assert.equal(place(280)[0], "149px"); // the tip ends one pixel before the edge
  assert.equal(place(282)[0], "72px"); // 136 - 14 - 50
  picture.tip.offsetWidth = 300;
  assert.equal(place(30)[0], "0px");
});

test("the threshold goes from 0 to a half in hundredths, and begins at a tenth", () => {
  const { threshold } = shown().picture;
  assert.deepEqual(
    [threshold.min, threshold.max, threshold.step, threshold.value],
    [0, 0.5, 0.01, 0.1],
  );
});

test("queries stand left of the ribbons, keys right of them", () => {
  const { stage } = shown().picture;
  const names = stage.children.map(({ localName, className }) => className || localName);
  assert.deepEqual(names, ["tokens queries", "canvas", "tokens keys"]);
});

test("a square has the number and the name of its head", () => {
  const { squares } = shown().picture;
  assert.deepEqual(
    squares.map(({ textContent, title, ariaLabel }) => [textContent, title, ariaLabel]),
    [
      ["1", "head 1", "head 1"],
      ["2", "head 2", "head 2"],
    ],
  );
  assert.equal(squares[1].style, "--head: #222222;");
});

test("each visible head is a table of its weights", () => {
  const { picture } = shown();
  const rows = () =>
    picture
      .tables()
      .map((table) => [
        table.querySelector("caption").textContent,
        ...table.querySelectorAll("tbody tr").map((row) => row.textContent),
      ]);
  assert.deepEqual(rows(), [
    ["head 1", "q0.5000.000"],
    ["head 2", "q0.1000.400"],
  ]);
  picture.toggle(0);
  assert.deepEqual(rows(), [["head 2", "q0.1000.400"]]);
});

test("without a visible head a token has no weights", () => {
  const { picture } = shown();
  picture.toggle(0);
  picture.toggle(1);
  assert.equal(picture.weightBetween(0, 0), 0);
  assert.equal(picture.canvas.style.height, "56px"); // two keys of 28 pixels
});

test("up and down lead along a side, left and right to the other side", () => {
  const { picture } = shown();
  const key = (name, side, position) => {
    document.activeElement = null;
    picture.key({ key: name, preventDefault() {} }, { side, position });
    return picture.lists.flatMap((list, s) =>
      list.children.flatMap((item, n) => (item === document.activeElement ? [[s, n]] : [])),
    );
  };
  assert.deepEqual(key("ArrowDown", 1, 0), [[1, 1]]);
  assert.deepEqual(key("ArrowUp", 1, 1), [[1, 0]]);
  assert.deepEqual(key("ArrowRight", 0, 0), [[1, 0]]);
  assert.deepEqual(key("ArrowLeft", 1, 0), [[0, 0]]);
  assert.deepEqual(key("ArrowRight", 1, 1), [[1, 1]]); // there is no third side
  assert.deepEqual(key("ArrowLeft", 0, 0), [[0, 0]]);
});

test("Tab enters each side at its first token", () => {
  const { picture } = shown();
  const tabs = picture.lists.map((list) => list.children.map(({ tabIndex }) => tabIndex));
  assert.deepEqual(tabs, [[0], [0, -1]]);
});

test("a held token is described from the query to the key, whichever of them is held", () => {
  const { picture } = shown({ head: 2 });
  const told = (side, position) => {
    picture.point({ side, position });
    return picture.live.textContent;
  };
  assert.equal(told(0, 0), "q → l 0.40");
  assert.equal(told(1, 0), "q → k 0.10");
});

test("nothing is shaded without a held token, and only it on its own side", () => {
  const { picture } = shown({ head: 2 });
  const shares = () =>
    picture.lists.map((list) => list.children.map(({ style }) => style["--share"]));
  assert.deepEqual(shares(), [["0"], ["0", "0"]]);
  picture.point({ side: 1, position: 1 });
  assert.equal(shares()[1].join(), "0,1");
});

test("a ribbon at the threshold stays although weights are rounded to 65535 steps", () => {
  const { picture } = shown();
  picture.threshold.value = 0.3;
  const isWide = (steps) => picture.isWide({ share: 0.3 + steps / MAX });
  assert.deepEqual(
    [isWide(0), isWide(-0.4), isWide(-0.6), isWide(-1.2)],
    [true, true, false, false],
  );
  picture.threshold.value = 0;
  assert.equal(picture.isWide({ share: 0 }), false);
});

test("texts are not faint, and are as wide as ten heads need", () => {
  const shape = [1, 10, 1, 2];
  const cells = Uint16Array.from({ length: 20 }, (_, n) => (n === 18 ? MAX : 0));
  const brush = shown({ shape, cells }).painted();
  const [text] = brush.all("fillText");
  assert.deepEqual([text.text, text.globalAlpha], ["10", 1]);
  const [[, , width]] = brush.all("strokeRect").map(({ box }) => box);
  assert.ok(Math.abs(width - 2 * (4 + 6.4)) < 1e-9);
});

test("of two equal ribbons the first one has the number", () => {
  const cells = Uint16Array.of(MAX / 2, MAX / 2, 0, 0);
  const [text] = shown({ cells }).painted().all("fillText");
  // both begin in the upper half of the row; the first one ends in the first row
  assert.ok(text.y < 14, String(text.y));
});

test("open tables follow the heads that are switched off", () => {
  const { picture } = shown();
  picture.details.open = true;
  picture.writeTables();
  const captions = () =>
    picture.tablesBox.querySelectorAll("caption").map(({ textContent }) => textContent);
  assert.deepEqual(captions(), ["head 1", "head 2"]);
  picture.toggle(0);
  assert.deepEqual(captions(), ["head 2"]);
});
