// Converts a worker's answer to the payloads of the pictures.

import { mapOf, withMeans } from "../../saved_page/head_maps.js";

const SIDES = {
  encoder_self: ["source", "source"],
  decoder_self: ["target", "target"],
  cross: ["target", "source"],
};

/**
 * Returns the payload of `Ribbons`: the translation, and where its tokens look.
 *
 * @param {object} answer of the worker
 * @param {object} model the page's data about it; `aligner` is the best-aligning head
 * @param {object} texts of the picture
 * @param {string} story a different text for each translation
 * @returns {object}
 */
export function ribbonsPayload(answer, model, texts, story) {
  const { source, target, candidates, taken, fromSource, cross } = answer;
  const { tags, aligner, little, config } = model;
  const targets = target.slice(1);
  const shape = [config.n_layers, config.n_heads, targets.length, source.length];
  const maps = withMeans(cross, shape);
  // The best-aligning head shows a token's source in the row that reads the token, one row later.
  const cells = aligner
    ? mapOf(maps, ...aligner).subarray(source.length)
    : mapOf(maps, config.n_layers - 1, null);
  const joined = (tokens) => tokens.map((token) => token.startsWith("·"));
  return {
    story,
    sources: source,
    targets,
    joined: [joined(source), joined(targets)],
    cells,
    rows: cells.length / source.length,
    fromSource,
    little,
    texts,
    rivals: candidates.map((ofToken, t) =>
      ofToken.map(([token, probability, id]) => [token, probability, id === taken[t]]),
    ),
    languages: tags,
    directions: ["ltr", "ltr"],
    inFull: {},
  };
}

/**
 * Returns the payload of `AnalysisView`: all maps of all heads.
 *
 * @param {object} answer of the worker
 * @param {object} model the page's data about it
 * @param {object} page its `words` and `css`
 * @param {object} shown `rows` and `unit` of the maps
 * @param {(kind: string, layer: number, head: number) => boolean} isOff
 * @returns {object}
 */
export function analysisPayload(answer, model, { words, css }, { rows, unit }, isOff) {
  const { languages, tags, config } = model;
  const maps = config.n_heads + 1; // maps of a layer: one per head, and one of all heads together
  const marks = (kind) =>
    Array.from({ length: config.n_layers * maps }, (_, n) => [
      [],
      isOff(kind, Math.floor(n / maps), n % maps),
    ]);
  return {
    attentions: answer.attentions.map((attention) => ({
      ...attention,
      heads: config.n_heads,
      sides: SIDES[attention.kind],
      direction: "ltr",
      inFull: {},
      causal: attention.kind === "decoder_self" && (unit === "subwords" || rows === "read"),
      marks: marks(attention.kind),
    })),
    start: {},
    languages: { source: languages[0], target: languages[1] },
    tags: { source: tags[0], target: tags[1] },
    words,
    css,
    offers: { cells: ["weights", "value_norms", "contributions"], unit: ["subwords", "words"] },
  };
}
