// The animation and the ribbons of a translation, on a fake page without layout.

import assert from "node:assert/strict";
import test from "node:test";

import { FakePage } from "./page.js";
import { Ribbons } from "../../web/pictures/ribbons.js";

const PAYLOAD = {
  story: "a",
  sources: ["he", "runs"],
  targets: ["il", "court", "<eos>"],
  rows: 2, // the last token was never read
  cells: Float32Array.of(0.75, 0.25, 0.005, 0.995),
  joined: [
    [false, false],
    [false, false, false],
  ],
  fromSource: [0.5, 0.1, 0],
  little: 0.2,
  rivals: [
    [
      ["elle", 0.4, false],
      ["il", 0.3, true],
    ],
    [["court", 0.9, true]],
    [["<eos>", 1, true]],
  ],
  directions: ["ltr", "ltr"],
  languages: ["en", "fr"],
  inFull: {},
  texts: {
    told: "{n} of {all}: {token}",
    from_source: "{share} from the source",
    unread: "unread",
  },
};

function shown(changes = {}, { isStill = false } = {}) {
  const page = new FakePage();
  page.isStill = isStill;
  const picture = new Ribbons(page.body);
  picture.sent = [];
  picture.send = (...message) => picture.sent.push(message);
  picture.show({ ...PAYLOAD, ...changes });
  return { page, picture };
}

// Each token is 40 pixels wide and 20 high. The target sentence is 100 pixels below the source.
function laidOut(changes = {}, { width = 200, isLong = false } = {}) {
  const { page, picture } = shown(changes, { isStill: true });
  Object.assign(picture.stage, { clientWidth: width, clientHeight: 300 });
  picture.lists.forEach((list, side) => {
    list.offsetWidth = isLong ? width + 1 : width;
    Object.assign(list, { offsetLeft: 300 * side, offsetHeight: 300 });
    list.children.forEach((item, n) => {
      const place = {
        offsetLeft: 50 * n,
        offsetTop: 100 * side,
        offsetWidth: 40,
        offsetHeight: 20,
      };
      Object.assign(item, place);
    });
  });
  Object.assign(picture.ladder, { offsetWidth: 60, offsetHeight: 80 });
  picture.draw();
  return { page, picture };
}

const strokesOf = (picture) => picture.canvas.getContext("2d").all("stroke");

test("a token takes 0.9 seconds at speed 1, and less or more at another speed", () => {
  for (const [button, seconds] of [
    [0, 1.8],
    [1, 0.9],
    [2, 0.45],
  ]) {
    const { page, picture } = shown();
    picture.speeds.children[button].click();
    page.frame(0);
    let frames = 0;
    while (picture.written < 1) {
      page.frame(50);
      frames += 1;
    }
    assert.equal(frames, Math.round(seconds / 0.05));
  }
});

test("the speeds are named, and the chosen speed is pressed", () => {
  const { picture } = shown();
  const names = picture.speeds.children.map((each) => each.textContent);
  assert.deepEqual(names, ["0.5×", "1×", "2×"]);
  const pressed = () => picture.speeds.children.map((each) => each.ariaPressed);
  assert.deepEqual(pressed(), [false, true, false]);
  picture.speeds.children[2].click();
  assert.deepEqual(pressed(), [false, false, true]);
});

test("a translation of 100 tokens takes 30 seconds, not 90", () => {
  const targets = Array(100).fill("a");
  const rivals = targets.map(() => [["a", 1, true]]);
  const joined = [PAYLOAD.joined[0], targets.map(() => false)];
  const { page, picture } = shown({ targets, rivals, joined, fromSource: targets.map(() => 1) });
  page.frame(0);
  page.frame(50);
  assert.ok(Math.abs(picture.written - (100 * 0.05) / 30) < 1e-9);
});

test("an animation continues at the same position after the page was hidden for a minute", () => {
  const { page, picture } = shown();
  page.frame(0);
  page.frame(60_000);
  assert.ok(Math.abs(picture.written - 50 / 900) < 1e-9);
});

test("a translation plays to its end; with reduced motion it is complete at once", () => {
  const { page, picture } = shown();
  assert.equal(picture.isPlaying, true);
  for (let n = 0; n < 60; n++) page.frame(50);
  assert.equal(picture.written, 3);
  assert.equal(picture.isPlaying, false);
  const still = shown({}, { isStill: true }).picture;
  assert.equal(still.written, 3);
  assert.equal(still.isPlaying, false);
});

test("a repeated translation continues, and another translation starts", () => {
  const { picture } = shown();
  picture.play(false);
  picture.moveTo(2);
  picture.show({ ...PAYLOAD });
  assert.equal(picture.written, 2);
  assert.equal(picture.isPlaying, false);
  picture.show({ ...PAYLOAD, story: "b" });
  assert.equal(picture.written, 0);
  assert.equal(picture.isPlaying, true);
});

test("a clicker writes and removes tokens, until both ends", () => {
  const { picture } = shown();
  const press = (detail) => {
    const event = new CustomEvent("token", { detail, cancelable: true });
    return !dispatchEvent(event);
  };
  assert.equal(press(-1), false);
  assert.deepEqual([press(1), picture.written, picture.isPlaying], [true, 1, false]);
  assert.deepEqual([press(1), press(1), picture.written], [true, true, 3]);
  assert.equal(press(1), false);
  assert.deepEqual([press(-1), picture.written], [true, 2]);
});

test("the slider says which token was written", () => {
  const { picture } = shown({}, { isStill: true });
  picture.moveTo(2);
  assert.deepEqual([picture.slider.value, picture.slider.max], [2, 3]);
  assert.equal(picture.slider.ariaValueText, "2 of 3: court");
  picture.moveTo(0);
  assert.equal(picture.slider.ariaValueText, "0 of 3: ");
});

test("the end and words that depend little on the source are marked", () => {
  const { picture } = shown({
    joined: [
      [false, false],
      [false, true, false],
    ],
  });
  const marked = (name) => picture.targets.children.map((each) => each.classList.contains(name));
  assert.deepEqual(marked("end"), [false, false, true]);
  assert.deepEqual(marked("little"), [false, true, false]);
  assert.deepEqual(marked("joined"), [false, true, false]);
});

test("the ribbons of a token are side by side and together 22 pixels wide", () => {
  const { picture } = laidOut();
  const [first, second, third] = strokesOf(picture);
  assert.deepEqual([first.lineWidth, second.lineWidth], [16.5, 5.5]);
  // The ribbons of the token begin at (20, 100), 11 pixels to each side.
  assert.deepEqual(first.path[0], [20 - 11 + 8.25, 100]);
  assert.deepEqual(second.path[0], [20 + 11 - 2.75, 100]);
  // to the bottom of the first source token
  assert.deepEqual(first.path[1], [17.25, 60, 20, 60, 20, 20]);
  assert.deepEqual(second.path[1].slice(-2), [70, 20]);
  // A weight below 0.01 has no ribbon, but takes its space.
  assert.equal(strokesOf(picture).length, 3);
  assert.ok(Math.abs(third.path[0][0] - (70 - 11 + 22 * (0.005 + 0.995 / 2))) < 1e-5);
});

test("from right to left, the first source token has the rightmost ribbon", () => {
  const { picture } = laidOut({ directions: ["rtl", "ltr"] });
  const [first, second] = strokesOf(picture);
  assert.equal(first.path[0][0], 20 + 11 - 8.25);
  assert.equal(second.path[0][0], 20 - 11 + 2.75);
});

test("in columns, ribbons go from one side to the other", () => {
  const { picture } = laidOut({}, { isLong: true });
  assert.equal(picture.upright, true);
  assert.equal(picture.stage.classList.contains("columns"), true);
  const [first] = strokesOf(picture);
  assert.deepEqual(first.path, [
    [0, 110 - 11 + 8.25],
    [20, 107.25, 20, 10, 40, 10],
  ]);
});

test("letters are as large as a line has room for both sentences", () => {
  assert.equal(laidOut().picture.stage.style.getPropertyValue("--letters"), "1.5");
  const { picture } = laidOut({}, { isLong: true });
  assert.equal(picture.stage.style.getPropertyValue("--letters"), "0.8");
});

test("the ribbons of the last token are stronger; at the end all ribbons are equal", () => {
  const { picture } = laidOut();
  const opacities = () => strokesOf(picture).map((each) => each.globalAlpha);
  assert.deepEqual(opacities(), [0.45, 0.45, 0.45]);
  picture.moveTo(2);
  assert.deepEqual(opacities(), [0.2, 0.2, 0.85]);
  picture.moveTo(1);
  assert.deepEqual(opacities(), [0.85, 0.85]);
  picture.moveTo(0);
  assert.deepEqual(opacities(), []);
});

test("marked tokens stand out at the end, with the tokens they look at", () => {
  const { picture } = laidOut({ marked: [1] });
  const opacities = () => strokesOf(picture).map((each) => each.globalAlpha);
  const shares = () =>
    picture.lists.map((list) =>
      list.children.map((item) => Number(item.style.getPropertyValue("--share"))),
    );
  assert.deepEqual(opacities(), [0.2, 0.2, 0.85]);
  const rounded = shares().map((side) => side.map((share) => Math.round(1000 * share) / 1000));
  assert.deepEqual(rounded, [
    [0.005, 0.995],
    [0, 1, 0],
  ]);
  picture.moveTo(1); // while it is written, the last token stands out
  assert.deepEqual(opacities(), [0.85, 0.85]);
  assert.deepEqual(shares()[1], [1, 0, 0]);
});

test("with more than 14 rows the ribbons are fainter", () => {
  const { picture } = laidOut();
  picture.payload.rows = 28;
  picture.repaint();
  assert.ok(strokesOf(picture).every((each) => each.globalAlpha === 0.45 / 2));
});

test("ribbons grow during the first 70 % of the time of their token", () => {
  const { picture } = laidOut();
  const end = () => strokesOf(picture)[0].path.at(-1).slice(-2);
  picture.moveTo(0.35); // half of this time
  assert.deepEqual(end(), [18.625, 60]);
  picture.moveTo(0.7);
  assert.deepEqual(end(), [20, 20]);
  picture.moveTo(0.9);
  assert.deepEqual(end(), [20, 20]);
});

test("a held token shows only its own ribbons", () => {
  const { picture } = laidOut();
  picture.point({ side: 1, position: 0 });
  assert.deepEqual(
    strokesOf(picture).map((each) => [each.lineWidth, each.globalAlpha]),
    [
      [16.5, 0.85],
      [5.5, 0.85],
    ],
  );
  picture.point({ side: 0, position: 1 });
  assert.deepEqual(
    strokesOf(picture).map((each) => Math.round(each.lineWidth * 10) / 10),
    [5.5, 21.9],
  );
});

test("the candidates are centred below their token, within the picture", () => {
  const { picture } = laidOut();
  const place = () => [picture.ladder.style.left, picture.ladder.style.top];
  picture.moveTo(2);
  assert.deepEqual(place(), ["40px", "126px"]); // 50 + 40/2 - 60/2
  picture.moveTo(1);
  assert.deepEqual(place(), ["0px", "126px"]);
  picture.targets.children[1].offsetLeft = 180;
  picture.moveTo(2);
  picture.placeLadder(picture.targets.children[1]);
  assert.equal(place()[0], "140px"); // 200 - 60
});

test("beside columns, the candidates are at the height of their token, within the picture", () => {
  const { picture } = laidOut({}, { isLong: true, width: 600 });
  assert.equal(picture.stage.classList.contains("beside"), true);
  picture.moveTo(1);
  const place = () => [picture.ladder.style.left, picture.ladder.style.top];
  assert.deepEqual(place(), ["917px", "100px"]); // 300 + 601 + 16
  picture.targets.children[1].offsetTop = 290;
  picture.moveTo(2);
  assert.equal(place()[1], "220px"); // 300 - 80
});

test("in a narrow picture, the style sheet places the candidates", () => {
  const { picture } = laidOut({}, { isLong: true, width: 599 });
  assert.equal(picture.stage.classList.contains("beside"), false);
  picture.moveTo(1);
  assert.deepEqual([picture.ladder.style.left, picture.ladder.style.top], ["", ""]);
});

test("a digit key chooses a candidate, except the model's own choice", () => {
  const { picture } = shown({}, { isStill: true });
  const press = (key, side = 1) => picture.key({ key }, { side, position: 0 });
  press("2");
  press("3");
  press("1", 0);
  assert.deepEqual(picture.sent, []);
  press("1");
  assert.deepEqual(picture.sent, [["chosen", [0, 0]]]);
});

test("a held token's description names its strongest partner and its source share", () => {
  const { picture } = shown({}, { isStill: true });
  const told = (side, position) => {
    picture.point({ side, position });
    return picture.live.textContent;
  };
  assert.equal(told(1, 0), "il → he 0.75 · 0.50 from the source");
  assert.equal(told(1, 2), "<eos> · unread · 0.00 from the source");
  assert.equal(told(0, 1), "court → runs 1.00");
});

test("arrow keys reach only tokens that are already written", () => {
  const { picture } = shown({}, { isStill: true });
  picture.moveTo(2);
  const event = (key) => ({ key, preventDefault() {}, target: { blur() {} } });
  picture.key(event("ArrowRight"), { side: 1, position: 1 });
  assert.equal(document.activeElement, picture.targets.children[1]);
  picture.key(event("ArrowUp"), { side: 1, position: 1 });
  assert.equal(document.activeElement, picture.sources.children[1]);
  picture.key(event("ArrowLeft"), { side: 0, position: 1 });
  assert.equal(document.activeElement, picture.sources.children[0]);
});

test("with more than 60 tokens on both sides, letters are smaller", () => {
  const isLong = (n) => {
    const sources = Array(n - 3).fill("a");
    const joined = [sources.map(() => false), PAYLOAD.joined[1]];
    return shown({ sources, joined }).picture.stage.classList.contains("long");
  };
  assert.equal(isLong(60), false);
  assert.equal(isLong(61), true);
});

test("playing at the end starts from the beginning", () => {
  const { picture } = shown({}, { isStill: true });
  picture.playButton.click();
  assert.deepEqual([picture.written, picture.isPlaying], [0, true]);
  picture.playButton.click();
  assert.equal(picture.isPlaying, false);
});

test("the space bar plays and pauses while the page is presented", () => {
  const { picture } = shown();
  const isUnheard = dispatchEvent(new Event("play", { cancelable: true }));
  assert.deepEqual([isUnheard, picture.isPlaying], [false, false]);
});

test("the slider moves by one token and pauses playing", () => {
  const { picture } = shown();
  const { slider } = picture;
  assert.deepEqual([slider.min, slider.step], [0, 1]);
  slider.valueAsNumber = 2;
  slider.oninput();
  assert.deepEqual([picture.written, picture.isPlaying], [2, false]);
});

test("playing pauses while a token is held", () => {
  const { page, picture } = shown();
  page.frame(0);
  picture.point({ side: 1, position: 0 });
  page.frame(50);
  assert.equal(picture.written, 0);
  picture.point(null);
  page.frame(50);
  assert.ok(picture.written > 0);
});

test("candidates are those of the last token, and the hint appears at the end", () => {
  const { picture } = shown({}, { isStill: true });
  const isHintShown = () => !picture.hint.classList.contains("unwritten");
  assert.deepEqual([picture.ladder.hidden, isHintShown()], [true, true]);
  picture.moveTo(1);
  assert.deepEqual([picture.ladder.hidden, isHintShown()], [false, false]);
  const rungs = picture.ladder.children;
  assert.deepEqual(
    rungs.map((rung) => [rung.textContent, rung.ariaCurrent]),
    [
      ["elle0.400", null],
      ["il0.300", true],
    ],
  );
  assert.equal(rungs[0].querySelector("i").style, "width: 40%");
  picture.point({ side: 0, position: 0 });
  assert.deepEqual([picture.ladder.hidden, isHintShown()], [true, false]);
  picture.point(null);
  picture.moveTo(0);
  assert.deepEqual([picture.ladder.hidden, isHintShown()], [true, false]);
});

test("tokens that are not written yet are marked, and have no weights", () => {
  const { picture } = shown({}, { isStill: true });
  picture.moveTo(1);
  const isUnwritten = ({ classList }) => classList.contains("unwritten");
  assert.deepEqual(picture.targets.children.map(isUnwritten), [false, true, true]);
  picture.point({ side: 0, position: 1 });
  const shares = picture.targets.children.map(({ style }) => style.getPropertyValue("--share"));
  assert.deepEqual(shares, ["0.25", "0", "0"]);
});

test("a picture on paper shows a playing translation completely", () => {
  const { page, picture } = shown();
  for (const name of ["data-paper", "data-for-file"]) {
    page.root.toggleAttribute(name, true);
    assert.equal(picture.writtenTokens, 3);
    page.root.toggleAttribute(name, false);
    assert.equal(picture.writtenTokens, 0);
  }
});

test("a picture does not play before it was shown", () => {
  const { body } = new FakePage();
  const picture = new Ribbons(body);
  assert.deepEqual([picture.isPlaying, picture.written], [false, 0]);
});

test("a share of just the little one is not little, and without such a share none is", () => {
  const marked = (changes) =>
    shown(changes).picture.targets.children.map((each) => each.classList.contains("little"));
  assert.deepEqual(marked({ fromSource: [0.2, 0.19, 0] }), [false, true, false]);
  assert.deepEqual(marked({ fromSource: [0, 0.1, 0], little: null }), [false, false, false]);
});

test("time that passed before the first frame does not count", () => {
  const { page, picture } = shown();
  page.frame(5000);
  assert.equal(picture.written, 0);
  page.frame(30);
  assert.ok(Math.abs(picture.written - 30 / 900) < 1e-9);
});

test("a clicker removes the first token, too", () => {
  const { picture } = shown();
  const press = (detail) => !dispatchEvent(new CustomEvent("token", { detail, cancelable: true }));
  press(1);
  assert.deepEqual([press(-1), picture.written], [true, 0]);
});

// The same candidates for each of the three tokens.
const RIVALS = [PAYLOAD.rivals[0], PAYLOAD.rivals[0], PAYLOAD.rivals[0]];

test("the tables are the weights of each row, shaded", () => {
  const { picture } = shown({ rivals: RIVALS }, { isStill: true });
  const [map] = picture.tables();
  assert.equal(map.className, "map");
  const rowsOf = (table) =>
    table.rows.map((row) => row.cells.map(({ textContent }) => textContent));
  assert.deepEqual(rowsOf(map), [
    ["", "he", "runs"],
    ["il", "0.75", "0.25"],
    ["court", "0.00", "1.00"], // 0.005 is a little less in float32, 0.995 a little more
  ]);
  const shares = map.rows.slice(1).map((row) => row.cells.map(({ style }) => style["--share"]));
  assert.deepEqual(shares[0], [undefined, "0.75", "0.25"]);
  const [head] = map.querySelectorAll("thead th");
  const [, first] = map.querySelectorAll("th bdi").filter(({ lang }) => lang === "fr");
  assert.deepEqual([head.children[0].lang, first.lang], ["en", "fr"]);
});

test("all candidates are ranked from 1, with three decimals", () => {
  const targets = ["il", "court"];
  const rivals = PAYLOAD.rivals[0];
  const { picture } = shown({ targets, rivals: [rivals, rivals] }, { isStill: true });
  const [, table] = picture.tables();
  assert.deepEqual(
    table.rows.map((row) => row.cells.map(({ textContent }) => textContent)),
    [
      ["", "1", "2"],
      ["il", "elle 0.400", "il 0.300"],
      ["court", "elle 0.400", "il 0.300"],
    ],
  );
});

test("in an open table the row of the visible ribbons is lit", () => {
  const { picture } = shown({ rivals: RIVALS }, { isStill: true });
  picture.moveTo(1);
  const lit = () =>
    picture.tablesBox.querySelectorAll(".map tbody tr").map((row) => row.hasAttribute("data-lit"));
  picture.details.open = true;
  picture.updateTokens(); // just opened: there is no table yet
  picture.writeTables();
  picture.updateTokens();
  assert.deepEqual(lit(), [true, false]);
  picture.moveTo(2);
  assert.deepEqual(lit(), [false, true]);
  picture.details.open = false;
  picture.moveTo(1);
  assert.deepEqual(lit(), [false, true]); // a closed table is not updated
});

test("candidates stay under the pointer, but those of another translation replace them", () => {
  const { picture } = shown({}, { isStill: true });
  picture.moveTo(1);
  const [first] = picture.ladder.children;
  picture.updateTokens();
  assert.equal(picture.ladder.children[0], first);
  picture.show({ ...PAYLOAD, story: "a" });
  assert.notEqual(picture.ladder.children[0], first);
});

test("beside columns the candidates are not above them", () => {
  const { picture } = laidOut({}, { isLong: true, width: 600 });
  picture.targets.children[0].offsetTop = -20;
  picture.moveTo(1);
  assert.equal(picture.ladder.style.top, "0px");
});

test("letters are measured again only if the width or the translation changes", () => {
  const { picture } = laidOut();
  picture.lists[0].offsetWidth = 500; // is not looked at
  picture.draw();
  assert.equal(picture.upright, false);
  picture.stage.clientWidth = 199;
  picture.draw();
  assert.equal(picture.upright, true);
});

test("the whole canvas is cleared before it is painted", () => {
  const { picture } = laidOut();
  const cleared = [];
  picture.brush.clearRect = (...box) => cleared.push(box);
  picture.repaint();
  assert.deepEqual(cleared, [[0, 0, 200, 300]]);
});

test("on paper ribbons do not grow", () => {
  const { page, picture } = laidOut();
  picture.moveTo(0.35);
  page.root.toggleAttribute("data-paper", true);
  picture.repaint();
  assert.deepEqual(strokesOf(picture)[0].path.at(-1).slice(-2), [20, 20]);
});

test("only the ribbons of the last token grow, and none of a held token", () => {
  const { picture } = laidOut();
  picture.moveTo(1.35);
  const ends = () => strokesOf(picture).map(({ path }) => path.at(-1).at(-1));
  assert.deepEqual(ends(), [20, 20, 60]);
  picture.point({ side: 1, position: 1 });
  assert.deepEqual(ends(), [20]);
  picture.point(null);
  picture.moveTo(2.35); // the end has no row
  assert.deepEqual(ends(), [20, 20, 20]);
});

test("after painting, the brush is opaque again", () => {
  const { picture } = laidOut();
  assert.equal(picture.brush.globalAlpha, 1);
});

test("a weight of just a hundredth has a ribbon", () => {
  const cells = Float32Array.from([0.01, 0.99, 0, 1]);
  cells[0] = 0.0099999;
  assert.equal(strokesOf(laidOut({ cells }).picture).length, 2);
  const exact = { cells: [0.01, 0.99, 0, 1] };
  assert.equal(strokesOf(laidOut(exact).picture).length, 3);
});

test("the player has its button, its slider and its speeds", () => {
  const { picture } = shown();
  const [player] = picture.root.querySelectorAll(".player");
  for (const part of ["playButton", "slider", "speeds"]) {
    assert.ok(player.contains(picture[part]), part);
  }
});

test("the candidates are placed again when the width of the picture changes", () => {
  const { picture } = laidOut();
  picture.moveTo(2);
  assert.equal(picture.ladder.style.left, "40px");
  picture.stage.clientWidth = 201;
  picture.targets.children[1].offsetLeft = 60; // its tokens have moved
  picture.draw();
  assert.equal(picture.ladder.style.left, "50px");
});
