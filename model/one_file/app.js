// The page of the explorer in one file: what is typed goes to the worker, what comes back is shown.

const packed = JSON.parse(document.getElementById("model").textContent);
const languageNow = () => (document.documentElement.lang.startsWith("zh") ? "zh" : "en");
const say = (name, values = {}) => fill(packed.words[languageNow()][name], values);
const [box, translation, notice] = ["sentence", "translation", "notice"].map((id) => document.getElementById(id));
const back = document.getElementById("back");
const stage = document.getElementById("ribbons").attachShadow({ mode: "open" });
const worker = new Worker(URL.createObjectURL(new Blob([document.getElementById("worker").textContent])));
let [asked, chosen, found] = [0, {}, null];

const sheet = new CSSStyleSheet();
sheet.replaceSync(packed.css);
stage.adoptedStyleSheets = [sheet];
const ribbons = new RibbonsView(stage);
ribbons.send = (_, [place, n]) => {
  chosen = Object.fromEntries(Object.entries(chosen).filter(([at]) => Number(at) < place));
  chosen[place] = found.candidates[place][n][2];
  ask();
};

// The last question counts; the answers to those before it come too late.
function ask() {
  worker.postMessage({ n: ++asked, text: box.value, chosen });
}

worker.onmessage = ({ data }) => {
  if (data.ready) return ask();
  if (data.n !== asked) return;
  notice.hidden = !data.problem;
  if (data.problem) notice.textContent = say(`one_file.${data.problem}`, data);
  else show((found = data));
};

function show({ text, source, target, candidates, taken, weights }) {
  const { config, languages, tags, aligner } = packed;
  const { n_layers: layers, n_heads: heads } = config;
  const [read, written, S, T] = [target.slice(0, -1), target.slice(1), source.length, target.length - 1];
  translation.textContent = text || say("translation.empty");
  back.hidden = !Object.keys(chosen).length;
  const [layer, head] = aligner ?? [layers - 1, null];
  const cross = withMeans(weights.cross, [layers, heads, T, S]);
  const rows = mapOf(cross, layer, head).subarray(aligner ? S : 0); // the aligner's row of <bos> says nothing
  const words = ["play", "pause", "position", "speed", "hint", "map", "weights", "rivals", "unread", "told"];
  const names = { source: say(`language.${languages[0]}`), target: say(`language.${languages[1]}`) };
  ribbons.show({
    story: [box.value, ...Object.values(chosen)].join(" "),
    sources: source,
    targets: written,
    sourceJoined: source.map((token) => token.startsWith("·")),
    targetJoined: written.map((token) => token.startsWith("·")),
    rows: rows.length / S,
    rivals: candidates.map((of, t) => of.map(([token, p, id]) => [token, p, id === taken[t]])),
    languages: tags,
    directions: ["ltr", "ltr"],
    told: {},
    texts: { ...Object.fromEntries(words.map((name) => [name, packed.words[languageNow()][`writing.${name}`]])), ...names },
    cells: rows,
  });
  const decoder = { written, read };
  const common = { direction: "ltr", told: {} };
  const attention = (kind, rows, queries, keys, sides, causal = false) => ({
    ...{ ...common, kind, queries, keys, sides, causal },
    weights: weights[kind],
    shape: [layers, heads, rows, keys.length],
  });
  openAnalysis({
    attentions: [
      attention("encoder_self", S, { read: source }, source, ["source", "source"]),
      attention("decoder_self", T, decoder, read, ["target", "target"], true),
      attention("cross", T, decoder, source, ["target", "source"]),
    ],
    start: { kind: "cross", layer, head, rows: aligner ? "read" : "written" },
    languages: { source: languages[0], target: languages[1] },
    tags: { source: tags[0], target: tags[1] },
    words: packed.words[languageNow()],
  });
}

// Words of the page itself, which stand in it by their names.
function speak(language) {
  document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = say(node.dataset.text);
  box.ariaLabel = say("sentence.label");
  for (const node of document.querySelectorAll("[data-language]"))
    node.ariaPressed = node.dataset.language === language;
  if (found) show(found);
}

function begin(text) {
  box.value = text;
  chosen = {};
  ask();
}

box.addEventListener("change", () => begin(box.value));
back.addEventListener("click", () => begin(box.value));
for (const node of document.querySelectorAll("[data-language]"))
  node.addEventListener("click", () => speak(node.dataset.language));
const examples = packed.examples.map((text) => button("", text, () => begin(text)));
document.getElementById("examples").append(...examples);
speak(navigator.language.startsWith("zh") ? "zh" : "en");
box.value = packed.examples[0];
notice.textContent = say("one_file.loading");
worker.postMessage({ ...packed, css: null, words: null, weights: document.getElementById("weights").textContent });
