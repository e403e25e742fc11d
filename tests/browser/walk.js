// Runs in every page before the app's own code: what the visitor of walk.py sees of it.

window.walk = (() => {
  const STILL = 80; // ms without a run after which nothing more is expected
  const LONGEST = 10_000; // ms of a run that shows nothing
  const PATIENCE = 60_000; // ms of a run that shows that it is at work, at one and the same place
  const SOON = 1_000; // ms after which a visitor goes on clicking while a bar grows
  const KINDS = {
    option: "[role=radio]",
    link: "[data-testid=stPageLink-NavLink]",
    text: "[data-testid=stTextInputField]",
    number: "[data-testid=stNumberInputField]",
    slider: "input[type=range]",
    list: "input[role=combobox]",
    fold: "summary, [data-testid=stPopoverButton]",
    button: "button, [role=button]",
    picture: "canvas, .vega-embed",
  };
  const NOT_OURS = "[data-testid=stMainMenuButton]";
  const AT_WORK = "[data-testid=stProgress], [data-testid=stSpinner]";

  const told = new WeakSet();
  let [running, connected, shown] = [true, false, ""];
  let [began, moved] = [performance.now(), performance.now()]; // the run, and what it shows

  const app = () => document.querySelector("[data-testid=stApp]");
  const atWork = () => [...document.querySelectorAll(AT_WORK)];

  // Faults go to the console, where all others are.
  function watch() {
    for (const fault of document.querySelectorAll("[data-testid=stException]")) {
      if (told.has(fault)) continue;
      told.add(fault);
      console.error(`exception on the page: ${fault.innerText}`);
    }
    const { testConnectionState: line = "", testScriptState: script = "" } = app()?.dataset ?? {};
    if (connected && line !== "CONNECTED") console.error(`lost connection: ${line}`);
    connected = line === "CONNECTED";
    if (running !== (running = !connected || script !== "notRunning")) began = performance.now();
    if (shown !== (shown = atWork().map((bar) => bar.outerHTML).join())) moved = performance.now();
  }

  function visible(element) {
    const box = element.getBoundingClientRect();
    return box.width > 2 && box.height > 2 && !element.disabled && !element.matches(NOT_OURS);
  }

  // Elements in the order of the page, those inside of components too.
  function* elements(root) {
    for (const element of root.querySelectorAll("*")) {
      yield element;
      if (element.shadowRoot) yield* elements(element.shadowRoot);
    }
  }

  function widget(element) {
    for (let at = element; at; at = at.parentElement ?? at.getRootNode().host) {
      const key = [...at.classList].find((name) => name.startsWith("st-key-"));
      if (key) return key.slice("st-key-".length);
    }
    return "";
  }

  function* found() {
    const count = {};
    for (const element of elements(document)) {
      const kind = Object.keys(KINDS).find((name) => element.matches(KINDS[name]));
      if (!kind || !visible(element)) continue;
      const where = widget(element);
      const nth = (count[`${kind} ${where}`] = (count[`${kind} ${where}`] ?? -1) + 1);
      const says = element.getAttribute("aria-label") ?? element.textContent;
      yield { element, control: [kind, where, nth, says.slice(0, 40)] };
    }
  }

  const states = ["data-test-script-state", "data-test-connection-state", "aria-valuenow"];
  new MutationObserver(watch).observe(document, { subtree: true, childList: true, attributeFilter: states });

  return {
    // Every control that can be used now: kind, key of its widget, number, words.
    controls: () => [...found()].map(({ control }) => control),
    find: (...place) => {
      const same = ({ control }) => place.every((part, n) => part === control[n]);
      return [...found()].find(same)?.element ?? null;
    },
    // How the run went, once that can be said.
    told: () => {
      const now = performance.now();
      if (!running) return now - began > STILL ? "ended" : "";
      if (shown && now - moved < PATIENCE) return now - began > SOON ? "in progress" : "";
      return now - Math.max(began, moved) > LONGEST ? `a run did not end in ${LONGEST / 1000} s` : "";
    },
  };
})();
