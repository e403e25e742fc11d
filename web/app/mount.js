import { unpack } from "../pictures/packed_numbers.js";

/**
 * Makes a Streamlit component from a class.
 *
 * @param {Function} Component its constructor takes the element to draw in. `show(payload)` draws;
 *   `send`, which is set here, reports a click to Python; the optional `stop()` is called when the
 *   component leaves the page. If the class has a type `Numbers`, Python sends bytes: see
 *   `unpack`.
 * @returns {Function} the function that Streamlit calls in every run; its result is called at the
 *   end
 */
export function mount(Component) {
  return ({ data, parentElement, setTriggerValue }) => {
    parentElement.view ??= new Component(parentElement);
    const { view } = parentElement;
    view.send = setTriggerValue;
    view.show(Component.Numbers ? unpack(data, Component.Numbers) : data);
    return () => {
      // Ignore the end of a run that a newer run has already replaced.
      if (view.send === setTriggerValue) view.stop?.();
    };
  };
}
