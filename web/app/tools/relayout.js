const RESIZED_WITHIN = 600; // milliseconds until a chart has its new size

let timer = 0;

/**
 * Makes Vega measure its charts again after a short delay.
 *
 * Vega makes room for the labels of a chart while its plot is still as wide as before. Labels that
 * turn, or need more rows where it is narrow, are cut off. Whatever event Vega gets next makes it
 * measure again (`autosize.resize` in ui/charts/chart.py).
 */
export function makeRoomInCharts() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    for (const chart of document.querySelectorAll(".vega-embed :is(svg, canvas)")) {
      chart.dispatchEvent(new PointerEvent("pointerout", { bubbles: true }));
    }
  }, RESIZED_WITHIN);
}
