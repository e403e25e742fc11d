// Where on the large map a click is. All cells are equally large, and those that are not drawn because
// the model must not see them can be clicked, too. A huge map is one picture: there it is the controls.

const ANSWER = ".cell > li, .st-key-cell-open_head, .st-key-cell-show_plain";
const PATIENCE = 3000; // milliseconds in which the answer to a click should stand on the page

export default function ({ data, parentElement, setTriggerValue }) {
  const onClick = (event) => {
    const cell = cellAt(event, data);
    if (!cell) return;
    parentElement.clicked = performance.now();
    setTriggerValue("pick", cell);
  };
  document.addEventListener("click", onClick);
  const showing = data.open && parentElement.clicked ? bringIntoView(parentElement.clicked + PATIENCE) : 0;
  parentElement.clicked = 0;
  return () => {
    document.removeEventListener("click", onClick);
    clearInterval(showing);
  };
}

function cellAt({ target, clientX, clientY }, { shape: [rows, columns], direction }) {
  const plot = target.closest?.(".st-key-map")?.querySelector(".role-frame path.background");
  if (!plot) return null;
  const { left, right, top, width, height } = plot.getBoundingClientRect();
  const across = direction === "rtl" ? right - clientX : clientX - left;
  const [row, column] = [((clientY - top) / height) * rows, (across / width) * columns].map(Math.floor);
  return row >= 0 && row < rows && column >= 0 && column < columns ? [row, column] : null;
}

// What a click opens stands below the map, perhaps below what the screen shows.
function bringIntoView(until) {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const waiting = setInterval(() => {
    const answer = document.querySelector(ANSWER);
    answer?.scrollIntoView({ block: "nearest", behavior: still ? "instant" : "smooth" });
    if (answer || performance.now() > until) clearInterval(waiting);
  }, 100);
  return waiting;
}
