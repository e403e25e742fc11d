// The page of the explorer in one file: what is typed goes to the worker, what comes back is shown.

const packed = JSON.parse(document.getElementById("model").textContent);
const script = URL.createObjectURL(new Blob([document.getElementById("worker").textContent]));
const byId = (id) => document.getElementById(id);
const [box, translation, notice, changes] = ["sentence", "translation", "notice", "changes"].map(byId);
const stage = byId("ribbons").attachShadow({ mode: "open" });
const languageNow = () => (document.documentElement.lang.startsWith("zh") ? "zh" : "en");
const say = (name, values = {}) => fill(packed.words[languageNow()][name], values);
let [worker, model, asked, chosen, off, found] = [null, null, 0, {}, [], null];

const sheet = new CSSStyleSheet();
sheet.replaceSync(packed.css.ribbons);
stage.adoptedStyleSheets = [sheet];
const ribbons = new RibbonsView(stage);
ribbons.send = (_, [place, n]) => {
  chosen = Object.fromEntries(Object.entries(chosen).filter(([at]) => Number(at) < place));
  chosen[place] = found.candidates[place][n][2];
  ask();
};

// One of the models of this file begins; what is on the page is translated by it.
function begin(n) {
  worker?.terminate();
  model = packed.models[n];
  const { aligner, config, tags, examples } = model;
  Object.assign(shown, { kind: "cross", layer: aligner?.[0] ?? config.n_layers - 1, head: aligner?.[1] ?? null });
  Object.assign(shown, { rows: aligner ? "read" : "written", cells: "weights", unit: "subwords" });
  [translation.lang, found, off, chosen] = [tags[1], null, [], {}];
  box.value ||= examples[0];
  notice.hidden = false;
  notice.textContent = say("one_file.loading");
  worker = new Worker(script);
  worker.onmessage = ({ data }) => (data.ready ? ask() : answered(data));
  worker.postMessage({ ...model, weights: byId(`weights-${n}`).textContent });
  speak(languageNow());
}

// The last question counts; the answers to those before it come too late.
function ask() {
  const { cells, unit, rows } = shown;
  worker.postMessage({ n: ++asked, text: box.value, chosen, off, how: { cells, unit, rows } });
}

function answered(data) {
  if (data.n !== asked) return;
  if (data.opened) return showCell(data.opened);
  notice.hidden = !data.problem;
  if (data.problem) notice.textContent = say(`one_file.${data.problem}`, data);
  else show((found = data));
}

function show({ text, source, target, candidates, taken, fromSource, cross, attentions }) {
  const { languages, tags, aligner, config: { n_layers, n_heads } } = model;
  const [written, S, T] = [target.slice(1), source.length, target.length - 1];
  translation.textContent = text || say("translation.empty");
  showChanges();
  const of = withMeans(cross, [n_layers, n_heads, T, S]);
  const rows = aligner ? mapOf(of, ...aligner).subarray(S) : mapOf(of, n_layers - 1, null); // <bos> says nothing
  const texts = ["play", "pause", "position", "speed", "hint", "map", "weights", "rivals", "unread", "told", "from_source"];
  const names = { source: say(`language.${languages[0]}`), target: say(`language.${languages[1]}`) };
  ribbons.show({
    story: [box.value, ...Object.values(chosen), ...off].join(" "),
    sources: source,
    targets: written,
    sourceJoined: source.map((token) => token.startsWith("·")),
    targetJoined: written.map((token) => token.startsWith("·")),
    rows: rows.length / S,
    rivals: candidates.map((of, t) => of.map(([token, p, id]) => [token, p, id === taken[t]])),
    fromSource,
    little: model.little,
    languages: tags,
    directions: ["ltr", "ltr"],
    told: {},
    texts: { ...Object.fromEntries(texts.map((name) => [name, packed.words[languageNow()][`writing.${name}`]])), ...names },
    cells: rows,
  });
  const little = fromSource.slice(0, -1).some((share) => share < (model.little ?? 0));
  byId("bars").textContent = say("writing.source") + (little ? ` ${say("writing.little")}` : "");
  const sides = { encoder_self: ["source", "source"], decoder_self: ["target", "target"], cross: ["target", "source"] };
  openAnalysis({
    attentions: attentions.map((each) => ({
      ...{ ...each, heads: n_heads, sides: sides[each.kind], direction: "ltr", told: {} },
      causal: each.kind === "decoder_self" && (shown.unit === "subwords" || shown.rows === "read"),
      marks: [...Array(n_layers * (n_heads + 1)).keys()].map((n) => [[], isOff(each.kind, Math.floor(n / (n_heads + 1)), n % (n_heads + 1))]),
    })),
    start: {},
    languages: { source: languages[0], target: languages[1] },
    tags: { source: tags[0], target: tags[1] },
    words: packed.words[languageNow()],
    css: packed.css,
    offers: { cells: ["weights", "value_norms", "contributions"], unit: ["subwords", "words"] },
  });
}

// What a visitor has changed, and the way back from it.
function showChanges() {
  const taken = Object.keys(chosen).length > 0;
  const back = () => {
    chosen = {};
    ask();
  };
  const heads = off.map(([kind, layer, head]) =>
    button("", say("one_file.head_on", { attention: say(`attention.${kind}`), layer: layer + 1, head: head + 1 }), () => turn(kind, layer, head)),
  );
  changes.replaceChildren(...(taken ? [button("", say("writing.back"), back)] : []), ...heads);
}

// Heads

function isOff(kind, layer, head) {
  return off.some((of) => of.join() === [kind, layer, head].join());
}

function turn(kind, layer, head) {
  const now = [kind, layer, head].join();
  off = isOff(kind, layer, head) ? off.filter((of) => of.join() !== now) : [...off, [kind, layer, head]];
  chosen = {};
  ask();
}

page.changed = ask;
page.drawn = () => {
  const { kind, layer, head } = shown;
  const text = say(isOff(kind, layer, head) ? "one_file.on" : "one_file.off");
  large.querySelector(".actions").replaceChildren(...(head === null ? [] : [button("", text, () => turn(kind, layer, head))]));
  opened.hidden = true;
};

// One cell

const opened = document.querySelector("#maps .opened");
const [product, ofRow] = [new MatricesView(opened), new MatricesView(opened)];
page.open = (row, column) => {
  if (found.n !== asked) return; // what is seen is about to change
  const { kind, layer, head } = shown;
  worker.postMessage({ n: asked, cell: { kind, layer, head, row, column } });
};

// Query times key, dimension by dimension; then the scores of the row, and their softmax.
function showCell({ query, key, scores, weights, row, column }) {
  const { keys, languages } = current();
  const products = query.map((value, i) => value * key[i]);
  const sum = products.reduce((a, b) => a + b);
  const drawn = (title, rowLabels, columnLabels, scale, cells, caption = "") => ({
    ...{ title, caption, rowLabels, columnLabels, scale, rows: rowLabels.length, columns: cells.length / rowLabels.length },
    ...{ limit: scale === "weights" ? 1 : Math.max(...cells.map(Math.abs)), languages: [null, languages[1]], directions: ["inherit", "ltr"] },
    ...{ told: {}, groups: 1, group: null, large: false, notes: [], frames: [], covered: [], cells },
  });
  const put = (view, matrices, picked) =>
    view.show({
      ...{ matrices, picked, operators: ["→"], links: [], largest: 44, asTable: say("grid.table") },
      cells: matrices.map(({ cells }) => cells).reduce((a, b) => Float32Array.of(...a, ...b)),
    });
  const scaled = `${say("cell.sum")} ${sum.toFixed(3)}, / √${query.length} = ${(sum / Math.sqrt(query.length)).toFixed(3)}`;
  const names = ["query", "key", "product"].map((name) => say(`cell.${name}`));
  opened.hidden = false;
  const [from, to] = [queries(current())[row], keys[column]];
  opened.querySelector("h2").textContent = say("cell.title", { row: from, column: to, weight: weights[column].toFixed(4) });
  put(product, [drawn(say("cell.step_product"), names, [], "signed", Float32Array.of(...query, ...key, ...products), scaled)], null);
  const [score, weight] = ["score", "weight"].map((name) => say(`cell.${name}`));
  put(ofRow, [drawn(score, [score], keys, "signed", scores), drawn(say("cell.step_softmax"), [weight], keys, "weights", weights)], [1, 0, column]);
  opened.scrollIntoView({ block: "nearest", behavior: still.matches ? "instant" : "smooth" });
}

// Words of the page itself, which stand in it by their names.
function speak(language) {
  document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = say(node.dataset.text);
  box.ariaLabel = say("sentence.label");
  for (const node of document.querySelectorAll("[data-language]")) node.ariaPressed = node.dataset.language === language;
  const name = ({ languages }) => languages.map((of) => say(`language.${of}`)).join(" → ");
  const models = packed.models.map((each, n) => Object.assign(button("", name(each), () => begin(n)), { ariaPressed: each === model }));
  byId("models").replaceChildren(...(models.length > 1 ? models : []));
  byId("examples").replaceChildren(say("examples.chips"), ...model.examples.map((text) => button("", text, () => type(text))));
  byId("gallery").hidden = !model.gallery.length;
  byId("gallery").lastChild.replaceChildren(...model.gallery.map(exhibit));
  if (found) show(found);
}

// A prepared example: its sentence, in the head that shows it.
function exhibit({ phenomenon, sentence, ...how }) {
  return button("", say(`gallery.${phenomenon}.title`), () => {
    Object.assign(shown, how, { cells: "weights", panel: "map" });
    off = [];
    type(sentence);
    byId("maps").scrollIntoView({ behavior: still.matches ? "instant" : "smooth" });
  });
}

function type(text) {
  box.value = text;
  chosen = {};
  ask();
}

// On a projector: the sentence, its translation and the picture.
function present(on = !document.documentElement.hasAttribute("data-present")) {
  document.documentElement.toggleAttribute("data-present", on);
}

addEventListener("keydown", (event) => {
  if (event.composedPath()[0].closest?.("input:not([type=radio])") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "p") present();
  else if (event.key === "Escape") present(false);
  else if (event.key === " " && event.target === document.body) dispatchEvent(new Event("play", { cancelable: true }));
  else return;
  event.preventDefault();
});
byId("present").addEventListener("click", () => present());
box.addEventListener("change", () => type(box.value));
for (const node of document.querySelectorAll("[data-language]"))
  node.addEventListener("click", () => speak(node.dataset.language));
document.documentElement.lang = navigator.language.startsWith("zh") ? "zh-Hans" : "en";
begin(0);
