const VISITED = "attention-explorer.met"; // in the browser's storage

/**
 * Marks whether this is a first visit. A first visit shows an invitation (`invite` in
 * ui/tour/tour.py), but not in a browser that stores no data.
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
