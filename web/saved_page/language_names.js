/**
 * Returns the name of a language in the words of the interface.
 *
 * @param {object} words of the interface
 * @param {string | null} language its code; null if it is not known
 * @param {string} side "source" or "target", used as the name of an unknown language
 * @returns {string} the code itself, if the words have no name for it
 */
export function languageName(words, language, side) {
  return words[`language.${language ?? side}`] ?? language;
}
