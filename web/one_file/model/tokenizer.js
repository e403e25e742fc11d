// Text to ids and back, as model/corpora/plain_text.py and model/tokenizers/byte_level do it; tables by Python.

const HAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/v;
// One character of several bytes, or a byte.
const CHARACTER =
  /([\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})|[^]/g;

export class Tokenizer {
  constructor({
    tokens,
    bytes,
    merges,
    normalizer,
    words,
    decoder,
    special,
    plain,
    in_chinese,
    invisible,
  }) {
    Object.assign(this, { tokens, ofByte: bytes, special, ends: new Set(Object.values(special)) });
    this.ids = new Map(tokens.map((token, id) => [token, id]));
    this.ranks = new Map(merges.map((merge, rank) => [merge, rank]));
    this.pieces = new RegExp(`(${words})`, "v"); // words, and what stands between them
    const replacing =
      ([pattern, by]) =>
      (text) =>
        text.replace(new RegExp(pattern, "gv"), by);
    this.normalizer = normalizer.map(replacing);
    this.decoder = decoder.map(replacing);
    this.plain = new Map(plain);
    this.inChinese = new Map(in_chinese);
    this.invisible = new Set(invisible);
    this.byteOf = new Map(bytes.map((character, byte) => [character, byte]));
  }

  // What people paste becomes what the corpora are written in.
  read(text) {
    const chinese = HAN.test(text);
    const seen = [...text.toWellFormed()]
      .filter((c) => !this.invisible.has(c))
      .join("")
      .normalize("NFC");
    const plain = [...seen.replace(/(?<=«)\s|\s(?=»)/gv, "")]
      .map((c) => (chinese ? this.inChinese.get(c) : null) ?? this.plain.get(c) ?? c)
      .join("");
    return smaller(plain.replace(/ +/g, " ").trim());
  }

  // A text as it was read -> ids, its ends included.
  encode(text) {
    const uniform = this.normalizer.reduce((text, replace) => replace(text), text.normalize("NFC"));
    const pieces = uniform.split(this.pieces).filter(Boolean);
    return [
      this.special.bos_id,
      ...pieces.flatMap((piece) => this.merge(piece)),
      this.special.eos_id,
    ];
  }

  // Byte-pair encoding (Sennrich et al. 2016): the merge learned first goes first.
  merge(piece) {
    let parts = [...new TextEncoder().encode(piece)].map((byte) => this.ofByte[byte]);
    for (;;) {
      let [at, lowest] = [-1, Infinity];
      for (let n = 0; n + 1 < parts.length; n++) {
        const rank = this.ranks.get(`${parts[n]} ${parts[n + 1]}`) ?? Infinity;
        if (rank < lowest) [at, lowest] = [n, rank];
      }
      if (at < 0) return parts.map((part) => this.ids.get(part));
      const [first, second] = [parts[at], parts[at + 1]];
      const merged = [];
      for (let n = 0; n < parts.length; n++)
        if (parts[n] === first && parts[n + 1] === second) merged.push(first + parts[++n]);
        else merged.push(parts[n]);
      parts = merged;
    }
  }

  bytes(ids) {
    return ids
      .filter((id) => !this.ends.has(id))
      .flatMap((id) => [...this.tokens[id]].map((c) => this.byteOf.get(c)));
  }

  decode(ids) {
    const text = new TextDecoder().decode(Uint8Array.from(this.bytes(ids)));
    return this.decoder
      .reduce((text, replace) => replace(text), text)
      .replace(/\u2060/g, "")
      .replace(/^ /, "");
  }

  // The ids of each word, as numbers of their places; an end stands alone. A byte that is part of no character
  // counts as a letter.
  words(ids) {
    const sizes = ids.map((id) => (this.ends.has(id) ? 0 : this.tokens[id].length));
    const bytes = this.bytes(ids)
      .map((byte) => String.fromCharCode(byte))
      .join("");
    const whole = bytes.replace(
      CHARACTER,
      (byte, character) => character ?? (byte < "\x80" ? byte : "x"),
    );
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      Uint8Array.from(whole, (byte) => byte.charCodeAt(0)),
    );
    const words = [];
    let [end, start] = [0, 0]; // of the word, of the subword, in bytes
    const pieces = text.split(this.pieces).filter(Boolean);
    ids.forEach((id, n) => {
      if (!sizes[n]) words.push([n]);
      else if (start < end) words.at(-1).push(n);
      else {
        words.push([n]);
        while (end <= start) end += new TextEncoder().encode(pieces.shift()).length;
      }
      start += sizes[n];
    });
    return words;
  }

  // How ids read on their own, visible; a part of a character alone as its bytes.
  display(...ids) {
    if (this.ends.has(ids[0])) return this.tokens[ids[0]];
    const bytes = Uint8Array.from(this.bytes(ids));
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: ids.length === 1 })
        .decode(bytes)
        .replace(/\u2060$/, "");
    } catch {
      return `0x${[...bytes]
        .map((byte) => byte.toString(16).padStart(2, "0"))
        .join("")
        .toUpperCase()}`;
    }
    if (text === " ") return "␣";
    const begins = text.startsWith(" ");
    const body = begins ? text.slice(1) : text;
    return begins || !/^[\p{L}\p{N}]/v.test(body) || /^\p{Script=Han}/v.test(body)
      ? body
      : `·${body}`;
  }
}

// A sentence of capitals in small letters; one word may be an acronym.
function smaller(text) {
  const words = text.match(/\p{L}{2,}/gv) ?? [];
  if (text !== text.toUpperCase() || text === text.toLowerCase() || words.length < 2) return text;
  if (HAN.test(text)) return text;
  const one = (c) => ([...c.toLowerCase()].length === 1 ? c.toLowerCase() : c); // as long as it was
  const small = [...text]
    .map(one)
    .join("")
    .replace(/(?<![\p{L}\p{N}_])i(?![\p{L}\p{N}_])/gv, "I");
  return small.replace(/\p{L}/v, (letter) => letter.toUpperCase());
}
