const RESIZED_WITHIN = 600; // milliseconds until a chart has its new size

let timer = 0;

/**
 * Makes Vega measure its charts again after a short delay.
 *
 * Vega makes space for a chart's labels while its plot still has the old width. In a narrower
 * chart, rotated labels and legends with more rows are cut off. The next event of any kind makes
 * Vega measure again (`autosize.resize` in ui/charts/chart.py).
 */
export function makeRoomInCharts() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    for (const chart of document.querySelectorAll(".vega-embed :is(svg, canvas)")) {
      chart.dispatchEvent(new PointerEvent("pointerout", { bubbles: true }));
    }
  }, RESIZED_WITHIN);
}
