// Converts text to ids and back, like model/corpora/plain_text.py and model/tokenizers/byte_level.

const HAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/v;
// A UTF-8 character of several bytes (captured), or a single byte.
const CHARACTER =
  /([\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})|[^]/g;
const WORD_JOINER = /\u2060/g; // marks the space after it as added

/** A byte-level tokenizer. */
export class Tokenizer {
  /** @param {object} vocabulary `pack_vocabulary` in model/one_file/vocabulary.py describes it */
  constructor(vocabulary) {
    const { tokens, bytes, merges, special } = vocabulary;
    this.tokens = tokens; // id -> token, each byte written as a visible character
    this.special = special; // name -> id of <bos>, <eos> and so on
    this.specialIds = new Set(Object.values(special));
    this.ids = new Map(tokens.map((token, id) => [token, id]));
    this.ranks = new Map(merges.map((merge, rank) => [merge, rank]));
    this.characterOf = bytes; // byte -> its visible character
    this.byteOf = new Map(bytes.map((character, byte) => [character, byte]));
    this.pieces = new RegExp(`(${vocabulary.words})`, "v"); // words, and the texts between them
    this.normalizer = vocabulary.normalizer.map(replacement);
    this.decoder = vocabulary.decoder.map(replacement);
    this.plain = new Map(vocabulary.plain); // characters -> their normalised forms
    // characters with a different normalised form in Chinese
    this.plainInChinese = new Map(vocabulary.in_chinese);
    this.invisible = new Set(vocabulary.invisible);
  }

  /**
   * Normalises a text like the texts of the corpora.
   *
   * @param {string} text
   * @returns {string}
   */
  read(text) {
    const isChinese = HAN.test(text);
    const visible = [...text.toWellFormed()].filter((c) => !this.invisible.has(c)).join("");
    const withoutGaps = visible.normalize("NFC").replace(/(?<=«)\s|\s(?=»)/gv, "");
    const plainOf = (c) =>
      (isChinese ? this.plainInChinese.get(c) : null) ?? this.plain.get(c) ?? c;
    const plain = [...withoutGaps].map(plainOf).join("");
    return withoutCapitals(plain.replace(/ +/g, " ").trim());
  }

  /**
   * Returns the ids of a text.
   *
   * @param {string} text as `read` returns it
   * @returns {number[]} with <bos> and <eos>
   */
  encode(text) {
    const normalised = replaceAll(this.normalizer, text.normalize("NFC"));
    const pieces = normalised.split(this.pieces).filter(Boolean);
    const ids = pieces.flatMap((piece) => this.merge(piece));
    return [this.special.bos_id, ...ids, this.special.eos_id];
  }

  // Applies the merges of byte-pair encoding in their learned order (Sennrich et al. 2016).
  merge(piece) {
    const bytes = [...new TextEncoder().encode(piece)];
    let parts = bytes.map((byte) => this.characterOf[byte]);
    for (;;) {
      const at = this.firstMerge(parts);
      if (at < 0) return parts.map((part) => this.ids.get(part));
      parts = mergePair(parts, parts[at], parts[at + 1]);
    }
  }

  // Returns the position of the pair with the earliest learned merge; -1 if no pair can be merged.
  firstMerge(parts) {
    let at = -1;
    let lowest = Infinity;
    for (let n = 0; n + 1 < parts.length; n++) {
      const rank = this.ranks.get(`${parts[n]} ${parts[n + 1]}`) ?? Infinity;
      if (rank < lowest) {
        at = n;
        lowest = rank;
      }
    }
    return at;
  }

  bytesOf(ids) {
    const ordinary = ids.filter((id) => !this.specialIds.has(id));
    return ordinary.flatMap((id) => [...this.tokens[id]].map((c) => this.byteOf.get(c)));
  }

  /**
   * Returns the text that ids spell.
   *
   * @param {number[]} ids
   * @returns {string}
   */
  decode(ids) {
    const text = new TextDecoder().decode(Uint8Array.from(this.bytesOf(ids)));
    return replaceAll(this.decoder, text).replace(WORD_JOINER, "").replace(/^ /, "");
  }

  /**
   * Groups ids into words. A special id is a separate word; a byte outside a character counts as a
   * letter.
   *
   * @param {number[]} ids
   * @returns {number[][]} positions of the ids of each word
   */
  words(ids) {
    const sizes = ids.map((id) => (this.specialIds.has(id) ? 0 : this.tokens[id].length)); // bytes
    const pieces = textOf(this.bytesOf(ids)).split(this.pieces).filter(Boolean);
    const words = [];
    let end = 0; // of the word, in bytes
    let start = 0; // of the subword, in bytes
    ids.forEach((id, position) => {
      // as `group_by_word` in model/maps/view.py: a word does not go on after a special id
      if (sizes[position] > 0 && sizes[position - 1] > 0 && start < end) {
        words.at(-1).push(position);
      } else {
        words.push([position]);
        if (sizes[position] > 0) {
          while (end <= start) end += new TextEncoder().encode(pieces.shift()).length;
        }
      }
      start += sizes[position];
    });
    return words;
  }

  /**
   * Returns the visible label of the ids of one word: "·" before a subword inside a word, and the
   * hexadecimal bytes of an incomplete character.
   *
   * @param {...number} ids
   * @returns {string}
   */
  display(...ids) {
    if (this.specialIds.has(ids[0])) return this.tokens[ids[0]];
    const bytes = Uint8Array.from(this.bytesOf(ids));
    let text = "";
    try {
      text = new TextDecoder("utf-8", { fatal: ids.length === 1 }).decode(bytes);
    } catch {
      return hexadecimal(bytes);
    }
    text = text.replace(/\u2060$/, "");
    if (text === " ") return "␣";
    const beginsWord = text.startsWith(" ");
    const body = beginsWord ? text.slice(1) : text;
    const isLetter = /^[\p{L}\p{N}]/v.test(body);
    const isHan = /^\p{Script=Han}/v.test(body);
    return beginsWord || !isLetter || isHan ? body : `·${body}`;
  }
}

// Returns a function that replaces all matches of a pattern.
function replacement([pattern, by]) {
  return (text) => text.replace(new RegExp(pattern, "gv"), by);
}

function replaceAll(replacements, text) {
  return replacements.reduce((changed, replace) => replace(changed), text);
}

// Joins the two parts wherever the second one follows the first.
function mergePair(parts, first, second) {
  const merged = [];
  for (let n = 0; n < parts.length; n++) {
    if (parts[n] === first && parts[n + 1] === second) {
      merged.push(first + second);
      n += 1;
    } else {
      merged.push(parts[n]);
    }
  }
  return merged;
}

// Returns the text of bytes, with an "x" for each byte outside a character.
// The length is unchanged.
function textOf(bytes) {
  const letters = bytes.map((byte) => String.fromCharCode(byte)).join("");
  const valid = letters.replace(
    CHARACTER,
    (byte, character) => character ?? (byte < "\x80" ? byte : "x"),
  );
  const validBytes = Uint8Array.from(valid, (letter) => letter.charCodeAt(0));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(validBytes);
}

function hexadecimal(bytes) {
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  return `0x${digits.join("").toUpperCase()}`;
}

// Converts an all-capitals sentence to lower case.
// A single word stays, because it may be an acronym.
function withoutCapitals(text) {
  const words = text.match(/\p{L}{2,}/gv) ?? [];
  if (text !== text.toUpperCase() || text === text.toLowerCase() || words.length < 2) return text;
  if (HAN.test(text)) return text;
  // only if the length does not change
  const lower = (c) => ([...c.toLowerCase()].length === 1 ? c.toLowerCase() : c);
  const small = [...text].map(lower).join("");
  const withI = small.replace(/(?<![\p{L}\p{N}_])i(?![\p{L}\p{N}_])/gv, "I");
  return withI.replace(/\p{L}/v, (letter) => letter.toUpperCase());
}
