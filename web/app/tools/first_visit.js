// Who comes for the first time is shown a line more (`invite` in ui/tour/tour.py), and never again:
// a browser that keeps nothing shows it to nobody.

const root = document.documentElement;
const MET = "attention-explorer.met";

export function welcomeOnce() {
  if (root.dataset.visit) return; // asked before on this page
  try {
    root.dataset.visit = localStorage.getItem(MET) ? "again" : "first";
    localStorage.setItem(MET, "yes");
  } catch {
    root.dataset.visit = "again";
  }
}
