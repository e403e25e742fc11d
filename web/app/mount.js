import { unpack } from "../pictures/packed_numbers.js";

// What Streamlit asks of a component; a view that has a type for its `Numbers` is sent bytes.
export function mount(Component) {
  return ({ data, parentElement, setTriggerValue }) => {
    const view = (parentElement.view ??= new Component(parentElement));
    view.send = setTriggerValue;
    view.show(Component.Numbers ? unpack(data, Component.Numbers) : data);
    return () => view.send === setTriggerValue && view.rest?.(); // what a later run overtook ends nothing
  };
}
