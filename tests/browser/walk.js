// What the visitor of test_walks.py sees of a page: every control that can be used now.

window.walk = (() => {
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
      yield { element, place: [kind, where, nth] };
    }
  }

  return {
    controls: () => [...found()].map(({ place }) => place),
    find: (wanted) => [...found()].find(({ place }) => place.join() === wanted.join())?.element ?? null,
  };
})();
