/**
 * Offers a new tab for uploads, if the page is in another site's frame: a browser then withholds
 * the cookie that an upload needs.
 *
 * The links `a.own-tab` are beside each upload; page.css shows the link or the upload.
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
