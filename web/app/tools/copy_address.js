import { element } from "../../pictures/elements.js";
import { wholeLink } from "../../pictures/whole_link.js";

/**
 * Copies the browser's own address, which the page keeps up to date.
 *
 * @returns {Promise<boolean>} whether the browser allowed copying
 */
export async function copyAddress() {
  if (!navigator.clipboard) return copyWithoutHttps();
  try {
    await navigator.clipboard.writeText(wholeLink(location.href));
    return true;
  } catch {
    return false;
  }
}

// Without https, as in a local network, a browser offers only the old API.
function copyWithoutHttps() {
  const box = element("textarea", { value: wholeLink(location.href) });
  document.body.append(box);
  box.select();
  const isCopied = document.execCommand("copy");
  box.remove();
  return isCopied;
}
