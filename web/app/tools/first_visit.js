const VISITED = "attention-explorer.met"; // in the browser's storage

/**
 * Marks the page as a first visit or not. A first visit shows one line more: `invite` in
 * ui/tour/tour.py. A browser that stores nothing never shows it.
 */
export function markFirstVisit() {
  const { dataset } = document.documentElement;
  if (dataset.visit) return; // already set for this page
  try {
    dataset.visit = localStorage.getItem(VISITED) ? "again" : "first";
    localStorage.setItem(VISITED, "yes");
  } catch {
    dataset.visit = "again";
  }
}
