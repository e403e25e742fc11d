import { element } from "../pictures/elements.js";

/**
 * Shows choices as groups of radio buttons. The focused button keeps the focus.
 *
 * @param {Element} box that contains them
 * @param {object} offered the values of each choice, by its name
 * @param {object} chosen the chosen values, by the same names
 * @param {object} words of the interface
 * @param {(name: string, value: string) => void} onChoice
 */
export function offerChoices(box, offered, chosen, words, onChoice) {
  const focused = box.contains(document.activeElement) ? document.activeElement : null;
  const groups = Object.entries(offered).map(([name, values]) =>
    choice(name, values, chosen[name], words, onChoice),
  );
  box.replaceChildren(...groups);
  if (focused) box.querySelector(`input[name="${focused.name}"]:checked`)?.focus();
}

function choice(name, values, chosen, words, onChoice) {
  const group = name === "kind" ? "attention" : name; // with which the names of its words begin
  const options = values.map((value) => {
    const input = element("input", { type: "radio", name, value, checked: value === chosen });
    return element("label", {}, input, words[`${group}.${value}`]);
  });
  return element(
    "fieldset",
    { name, onchange: ({ target }) => onChoice(name, target.value) },
    element("legend", {}, words[`${group}.label`]),
    ...options,
  );
}
