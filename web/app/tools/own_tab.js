/**
 * In a frame of another site the browser keeps the cookie back that an upload needs: offer a tab.
 *
 * The links `a.own-tab` stand beside each upload; page.css shows one or the other.
 */
export function offerOwnTab() {
  const root = document.documentElement;
  root.toggleAttribute("data-framed", isFramedByAnotherSite());
  for (const link of document.querySelectorAll("a.own-tab")) {
    const address = new URL(location.href);
    address.searchParams.delete("embed");
    link.href = address.href;
    link.target = "_blank";
  }
}

function isFramedByAnotherSite() {
  if (window.parent === window) return false;
  try {
    return window.top.location.origin !== location.origin;
  } catch {
    return true; // the browser lets nobody read the address of another site's page
  }
}
