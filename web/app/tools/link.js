// Copies the browser's own address, which the page keeps up to date.

import { element } from "../../pictures/elements.js";

export async function copyAddress() {
  if (navigator.clipboard)
    return navigator.clipboard.writeText(location.href).then(
      () => true,
      () => false,
    );
  // Without https, as in a class on a local network, a browser has only the old way.
  const box = element("textarea", { value: location.href });
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  return done;
}
