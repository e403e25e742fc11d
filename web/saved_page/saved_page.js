// Shows a saved analysis, whose data are in the page itself.

import { AnalysisView } from "./analysis_view.js";
import { choicesOf, linkTo, readLink, writeLink } from "./page_link.js";
import { watchPrinting } from "./paper_pictures.js";

const opened = readLink();
const view = new AnalysisView(document.getElementById("maps"), {
  texts: () => ({ sentence: textOf("h1 bdi"), target: textOf(".translation bdi") }),
  onDrawn: () => isFollowed && writeLink(linkTo(view.shown)),
});
let isFollowed = false; // whether the page already shows the map that its link names
watchPrinting();
view.open(JSON.parse(document.getElementById("analysis").textContent));
addEventListener("hashchange", () => follow(readLink()));
if (opened.size) follow(opened);
isFollowed = true;

function textOf(selector) {
  return document.querySelector(selector)?.textContent;
}

function follow(link) {
  Object.assign(view.shown, choicesOf(link, view.offered));
  view.offer();
  view.draw();
}
