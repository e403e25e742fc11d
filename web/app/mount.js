import { unpack } from "../pictures/packed_numbers.js";

/**
 * Makes a Streamlit component of a class.
 *
 * @param {Function} Component takes the element to draw in. Its `show(payload)` draws, its `send`,
 *   which is set here, tells Python of a click, and its `stop()`, if there is one, is called when
 *   the component leaves the page. If the class has a type `Numbers`, Python sends bytes: see
 *   `unpack`.
 * @returns {Function} what Streamlit calls in every run; it returns what Streamlit calls at the end
 */
export function mount(Component) {
  return ({ data, parentElement, setTriggerValue }) => {
    parentElement.view ??= new Component(parentElement);
    const { view } = parentElement;
    view.send = setTriggerValue;
    view.show(Component.Numbers ? unpack(data, Component.Numbers) : data);
    return () => {
      // Ignore the end of a run that a newer one has replaced.
      if (view.send === setTriggerValue) view.stop?.();
    };
  };
}
