const KEYS_OF_TOKENS = [
  "chips",
  "choice-sentence",
  "choice-target",
  "experiments-judged",
  "experiments-rival",
  "experiments-word",
  "scaling-query",
];

// Elements that a browser must not translate: texts of the models, formulas, labels and code.
const ORIGINALS = [
  ".brand",
  ".equation",
  ".formula",
  ".katex",
  ".shape",
  ".stBidiComponent:not(.st-key-tools-buttons *)",
  ".stDataFrame",
  ".stPlotlyChart",
  ".stVegaLiteChart",
  ".vector",
  '[data-testid="stIconMaterial"]', // the name of an icon, which a font draws as the icon
  "bdi",
  "code",
  "pre",
  "textarea",
  ...KEYS_OF_TOKENS.map((key) => `.st-key-${key}`),
]
  .map((part) => `${part}:not([translate=no])`)
  .join();

/** Marks the parts of the page that a browser must not translate. */
export function markOriginals() {
  for (const part of document.querySelectorAll(ORIGINALS)) part.translate = false;
}
