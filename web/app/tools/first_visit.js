const VISITED = "attention-explorer.met"; // in the browser's storage

/**
 * Marks whether the page is a first visit, which shows an invitation (`invite` in
 * ui/tour/tour.py). A browser that stores no data never shows it.
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
