// The buttons; drawn once, told their words at each run.

import { welcomeOnce } from "./first_visit.js";
import { mount } from "../mount.js";
import { onTake, prepareExport, say } from "./export.js";
import { observe } from "./observe.js";
import { TAKEN_IN_HAND, onPlay } from "./play.js";
import { fit, onKey, present } from "./present.js";
import { copyAddress } from "./link.js";
import { nameMenu } from "./menu.js";
import { watchConnection } from "./reconnect.js";
import { makeRoom } from "./relayout.js";
import { POINTED_AT, onRole, onTab } from "./roles.js";
import { soon } from "./scroll.js";
import { loadStyles } from "./styles.js";
import { button } from "../../pictures/elements.js";

const root = document.documentElement;
let listening;
let words = {};

class Tools {
  constructor(parent) {
    this.presenting = button("present", "", () => present(true));
    this.copying = button("copy", "", async () =>
      say(this.copying, (await copyAddress()) ? words.copied : words.by_hand),
    );
    parent.append(this.presenting, this.copying);
  }

  show(data) {
    words = data;
    prepareExport(data, (file) => this.send("take", file));
    root.lang = data.lang;
    root.style.setProperty("--enter", JSON.stringify(data.enter)); // shown by web/app/page.css
    this.presenting.textContent = data.present;
    this.copying.textContent = data.copy;
    loadStyles();
    welcomeOnce();
    this.listen();
    onChange();
    root.toggleAttribute("data-takes", true); // the bars show their buttons now
  }

  listen() {
    listening?.abort(); // what the last run listened to
    listening = this.listening = new AbortController();
    const { signal } = listening;
    observe(document.body, { childList: true, subtree: true }, signal, onChange);
    watchConnection(() => this.send("again", true), signal);
    for (const resized of [makeRoom, fit, soon]) addEventListener("resize", resized, { signal });
    const first = { capture: true, signal };
    for (const kind of POINTED_AT) document.addEventListener(kind, onRole, first);
    for (const act of [onTab, onKey]) document.addEventListener("keydown", act, first);
    for (const kind of TAKEN_IN_HAND) document.addEventListener(kind, onPlay, first);
    document.addEventListener("click", onTake, { signal });
  }

  rest() {
    this.listening.abort();
    root.removeAttribute("data-takes");
  }
}

function onChange() {
  nameMenu(words.menu);
  soon();
}

export default mount(Tools);
