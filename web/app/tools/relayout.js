// Vega makes room for a chart's labels while the plot is still as wide as before: those that turn or
// need more rows where it is narrow are cut off. Whatever it hears next makes it measure again
// (`autosize.resize` in ui/charts/chart.py).

const SETTLED = 600; // milliseconds until a chart has taken its new size
let measuring = 0;

export function makeRoom() {
  clearTimeout(measuring);
  measuring = setTimeout(() => {
    for (const chart of document.querySelectorAll(".vega-embed :is(svg, canvas)"))
      chart.dispatchEvent(new PointerEvent("pointerout", { bubbles: true }));
  }, SETTLED);
}
