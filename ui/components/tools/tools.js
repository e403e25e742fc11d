// The buttons; drawn once, told their words at each run.

let listening;

export default function ({ data, parentElement, setTriggerValue }) {
  root.lang = data.lang;
  root.style.setProperty("--enter", JSON.stringify(data.enter)); // shown by ui/frame/style.css
  words = data;
  want = (file) => setTriggerValue("take", file);
  loadStyles();
  welcomeOnce();
  if (!parentElement.querySelector("button"))
    for (const className of ["present", "copy"])
      parentElement.append(Object.assign(document.createElement("button"), { type: "button", className }));
  listening?.abort(); // what the last run listened to
  const own = (listening = new AbortController());
  const { signal } = own;
  observe(document.body, { childList: true, subtree: true }, signal, onChange);
  onChange();
  watchConnection(() => setTriggerValue("again", true), signal);
  watchRoles(signal);
  for (const resized of [makeRoom, fit, soon]) addEventListener("resize", resized, { signal });
  document.addEventListener("keydown", onKey, { capture: true, signal });
  document.addEventListener("click", onTake, { signal });
  for (const kind of TAKEN_IN_HAND) document.addEventListener(kind, onPlay, { capture: true, signal });
  root.toggleAttribute("data-takes", true); // the bars show their buttons now
  const [presenting, copying] = parentElement.querySelectorAll("button");
  presenting.textContent = data.present;
  presenting.onclick = () => present(true);
  copying.textContent = data.copy;
  copying.onclick = async () => say(copying, (await copyAddress()) ? data.copied : data.by_hand);
  return () => {
    own.abort();
    root.removeAttribute("data-takes");
  };
}

function onChange() {
  nameMenu();
  soon();
}

function observe(node, what, signal, changed) {
  const observer = new MutationObserver(changed);
  observer.observe(node, what);
  signal.addEventListener("abort", () => observer.disconnect());
}
