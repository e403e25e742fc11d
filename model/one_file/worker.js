// The model at work, beside the page, which never stands still for it. The scripts before this one are it.

let model, tokenizer;

onmessage = ({ data }) => {
  if (data.weights) {
    const bytes = Uint8Array.from(atob(data.weights), (character) => character.charCodeAt(0));
    model = new Transformer(unpackWeights(data.contents, bytes), data.config);
    tokenizer = new Tokenizer(data.vocabulary);
    return postMessage({ ready: true });
  }
  const { n, text, chosen } = data;
  const read = tokenizer.read(text);
  const src = read ? tokenizer.encode(read) : [];
  const { max_length } = model.config;
  if (!read || src.length > max_length) return postMessage({ n, problem: read ? "too_long" : "empty", length: src.length, max_length });
  const { ids, candidates, weights } = translate(model, src, tokenizer.special, chosen);
  const shown = (ids) => ids.map((id) => tokenizer.display(id));
  postMessage({
    n,
    text: tokenizer.decode(ids),
    source: shown(src),
    target: shown(ids),
    candidates: candidates.map((of) => of.map(([id, p]) => [tokenizer.display(id), p, id])),
    taken: ids.slice(1),
    weights,
  });
};
