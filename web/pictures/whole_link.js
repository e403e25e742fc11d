// Chats, mail programs and GitHub detect links in a text.
// They leave out a final character that may belong to the sentence, such as a full stop.

const LAST_SIGN = /[^\p{L}\p{N}%/=&#?]$/u;

/**
 * Rewrites a link so that it ends with a letter or a digit.
 *
 * @param {string} link with a query or a fragment; other links are returned unchanged
 * @returns {string}
 */
export function wholeLink(link) {
  if (!/[?#]/.test(link)) return link;
  return link.replace(LAST_SIGN, (sign) => {
    if (sign === "+") return "%20"; // a space, as forms write it
    const bytes = new TextEncoder().encode(sign);
    return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase()}`).join("");
  });
}
