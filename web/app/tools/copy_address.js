import { element } from "../../pictures/elements.js";
import { wholeLink } from "../../pictures/whole_link.js";

/**
 * Copies the address of the page. The address always contains the current choices.
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

// Without https, as in a local network, browsers offer only the old clipboard API.
function copyWithoutHttps() {
  const box = element("textarea", { value: wholeLink(location.href) });
  document.body.append(box);
  box.select();
  const isCopied = document.execCommand("copy");
  box.remove();
  return isCopied;
}
