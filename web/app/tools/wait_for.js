/**
 * Calls a function in every frame until it returns something.
 *
 * @param {() => any} find returns the result, or a falsy value
 * @param {number} milliseconds maximum waiting time
 * @returns {Promise<any>}
 */
export async function waitFor(find, milliseconds) {
  const until = performance.now() + milliseconds;
  while (performance.now() < until) {
    const found = find();
    if (found) return found;
    await new Promise(requestAnimationFrame);
  }
  throw new Error("what the page should show is not there");
}
