import { button } from "../../pictures/elements.js";
import { mount } from "../mount.js";
import { showOnButton } from "./button_message.js";
import { watchTranslation } from "./browser_translation.js";
import { showChosenSoon } from "./chosen_option.js";
import { copyAddress } from "./copy_address.js";
import { markFirstVisit } from "./first_visit.js";
import { translateMenu } from "./menu.js";
import { observe } from "./observe.js";
import { keepOneEntryForAPage } from "./one_entry.js";
import { markOriginals } from "./original_texts.js";
import { watchPrinting } from "./print.js";
import { setControls } from "./page_controls.js";
import { onPlayEvent, PLAY_EVENTS } from "./play.js";
import { offerOwnTab } from "./own_tab.js";
import { fitSoon } from "./fit_to_screen.js";
import { keepPresenting, onKey, present } from "./present.js";
import { watchConnection } from "./reconnect.js";
import { makeRoomInCharts } from "./relayout.js";
import { onRoleEvent, onTab, ROLE_EVENTS } from "./roles.js";
import { FigureButtons } from "./save_figure.js";
import { markScrollingSoon } from "./scroll.js";
import { onStepKey } from "./step_keys.js";
import { setLightColours } from "./light_colours.js";
import { fitSentences, keepOneLine } from "./sentence_box.js";
import { loadStyles } from "./styles.js";
import { sendTypedTextFirst } from "./typed_first.js";
import { keepAddressWhole, keepLinksWhole } from "./whole_links.js";
import { standardiseBoxes } from "./zoomed_boxes.js";

const root = document.documentElement;

let listening = null; // AbortController of the current listeners; a page may replace its tools

/**
 * The buttons of a page, and all of its browser code except the pictures.
 *
 * `tools` in ui/components/tools describes the payload.
 */
class Tools {
  constructor(parent) {
    this.words = {};
    this.listening = null;
    this.figures = new FigureButtons((file) => this.send("take", file));
    this.presentButton = button("present", "", () => present(true));
    this.copyButton = button("copy", "", () => this.copy());
    parent.append(this.presentButton, this.copyButton);
  }

  show(payload) {
    const { words, menu, lang, controls, light } = payload;
    this.words = words;
    this.menu = menu;
    this.figures.words = words;
    setControls(controls);
    setLightColours(light);
    root.lang = lang;
    // used in web/app/page.css
    root.style.setProperty("--enter", JSON.stringify(words.enter));
    root.style.setProperty("--enter-list", JSON.stringify(words.enter_list));
    root.style.setProperty("--no-webgl", JSON.stringify(words.no_webgl));
    // used in web/app/print.css
    root.style.setProperty("--not-drawn", JSON.stringify(words.not_drawn));
    root.style.setProperty("--keys", JSON.stringify(words.keys)); // used in web/app/present.css
    this.presentButton.textContent = words.present;
    this.copyButton.textContent = words.copy;
    loadStyles();
    standardiseBoxes();
    markFirstVisit();
    keepAddressWhole();
    keepOneEntryForAPage();
    sendTypedTextFirst();
    this.listen();
    this.onPageChange();
    keepPresenting((isOn) => this.send("presents", isOn));
    root.toggleAttribute("data-takes", true); // the bars of figures show their buttons now
  }

  async copy() {
    const isCopied = await copyAddress();
    showOnButton(this.copyButton, isCopied ? this.words.copied : this.words.by_hand);
  }

  listen() {
    listening?.abort();
    this.listening = new AbortController();
    listening = this.listening;
    const { signal } = listening;
    const first = { capture: true, signal }; // runs before the handlers of the page
    observe(document.body, { childList: true, subtree: true }, signal, () => this.onPageChange());
    watchTranslation(signal);
    watchPrinting(signal);
    watchConnection(() => this.send("again", true), signal);
    for (const act of [
      fitSentences,
      makeRoomInCharts,
      fitSoon,
      markScrollingSoon,
      showChosenSoon,
    ]) {
      addEventListener("resize", act, { signal });
    }
    for (const name of ROLE_EVENTS) document.addEventListener(name, onRoleEvent, first);
    for (const name of PLAY_EVENTS) document.addEventListener(name, onPlayEvent, first);
    document.addEventListener("keydown", onTab, first);
    document.addEventListener("keydown", onKey, first);
    document.addEventListener("keydown", onStepKey, first);
    document.addEventListener("beforeinput", keepOneLine, first);
    document.addEventListener("input", fitSentences, first);
    document.addEventListener("click", (event) => this.figures.onClick(event), { signal });
  }

  onPageChange() {
    translateMenu(this.menu);
    keepLinksWhole();
    markOriginals();
    offerOwnTab();
    fitSentences();
    fitSoon();
    markScrollingSoon();
    showChosenSoon();
  }

  stop() {
    this.listening.abort();
    root.removeAttribute("data-takes");
  }
}

export default mount(Tools);
