// The link is the browser's own address: the page keeps it up to date.
export default function ({ data, parentElement }) {
  let button = parentElement.querySelector("button");
  if (!button) {
    button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-live", "polite");
    parentElement.append(button);
  }
  button.textContent = data.copy;
  button.onclick = async () => {
    button.textContent = (await copied(location.href)) ? data.copied : data.by_hand;
    setTimeout(() => (button.textContent = data.copy), 2500);
  };
}

// Without https, as in a class on a local network, a browser has no clipboard but the old way to it.
async function copied(text) {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const box = document.createElement("textarea");
  box.value = text;
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  return done;
}
