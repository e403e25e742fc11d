// The buttons; drawn once, told their words at each run.

export default function ({ data, parentElement, setTriggerValue }) {
  root.lang = data.lang;
  root.style.setProperty("--enter", JSON.stringify(data.enter)); // shown by ui/frame/style.css
  welcomeOnce();
  watchScrolling();
  addEventListener("resize", makeRoom);
  if (!parentElement.querySelector("button")) {
    for (const name of ["present", "copy"]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = name;
      parentElement.append(button);
    }
    parentElement.querySelector(".copy").setAttribute("aria-live", "polite");
  }
  words = data;
  watchMenu();
  watchConnection(() => setTriggerValue("again", true));
  watchRoles();
  document.addEventListener("keydown", onKey, true); // once, however often it is said
  document.addEventListener("click", onTake);
  for (const kind of TAKEN_IN_HAND) document.addEventListener(kind, onPlay, true);
  root.toggleAttribute("data-takes", true); // the bars show their buttons now
  const [presenting, copying] = parentElement.querySelectorAll("button");
  presenting.textContent = data.present;
  presenting.onclick = () => present(true);
  copying.textContent = data.copy;
  copying.onclick = async () => {
    copying.textContent = (await copyAddress()) ? data.copied : data.by_hand;
    setTimeout(() => (copying.textContent = data.copy), 2500);
  };
  return () => {
    leaveScrolling();
    menus.disconnect();
    connection.disconnect();
    leaveRoles();
    removeEventListener("resize", makeRoom);
    document.removeEventListener("keydown", onKey, true);
    document.removeEventListener("click", onTake);
    for (const kind of TAKEN_IN_HAND) document.removeEventListener(kind, onPlay, true);
    root.removeAttribute("data-takes");
  };
}
