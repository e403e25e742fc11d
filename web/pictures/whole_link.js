// Chats, mail programs and GitHub find links in a text, and leave out a last sign that could
// belong to the sentence around the link, such as a full stop.

const LAST_SIGN = /[^\p{L}\p{N}%/=&#?]$/u;

/**
 * Returns the same link, written so that it ends in a letter or a digit.
 *
 * @param {string} link with a query or a fragment; others are returned as they are
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
