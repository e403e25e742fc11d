import { element } from "../../pictures/elements.js";
import { showOnButton } from "./button_message.js";
import { rgbaOf } from "./css_colour.js";
import { fileButtonOnPage, figureOnPage } from "./figure_on_page.js";
import { drawFigure } from "./figure_picture.js";
import { askForFigureWorksheet } from "./figure_worksheet.js";
import { checkCanvases, checkPixel, GuardedCanvasError } from "./guarded_canvas.js";
import { withPngTexts } from "./png_texts.js";
import { PAPER_OVERLAP } from "./svg_brush.js";
import { waitFor } from "./wait_for.js";

const LARGEST_SIDE = 16_000; // pixels of a PNG: browsers cannot make larger images
const PIXELS_PER_PIXEL = 2; // pixels of a PNG per pixel of the page, in each direction
const FILE_WITHIN = 15_000; // milliseconds to wait for a file; ui/export/figure.py offers it longer
const FROM_SERVER = ["pdf", "csv", "json"]; // kinds of files
// Characters of a picture that is sent to the server for a PDF. The server closes the connection at
// a larger message: maxWidgetStateSize in .streamlit/config.toml, MAX_CHARACTERS in
// ui/export/picture_check.py.
const MOST_CHARACTERS = 2_500_000;
const REFUSED = '[data-testid="stDownloadButtonError"]'; // Streamlit shows it for a moment
const FORGET_AFTER = 10_000; // milliseconds until the object URL of a saved picture is released

class TooLargeError extends Error {}

/** The buttons of a figure: save its picture or its numbers, or copy the picture. */
export class FigureButtons {
  /**
   * @param {(file: any[]) => void} askForFile asks the server for `[figure, kind]`, and for a PDF
   *   with the picture, its width, and the number of the request
   */
  constructor(askForFile) {
    this.askForFile = askForFile;
    this.requests = 0; // number of requests for a PDF; each request gets a new download button
    this.words = {};
  }

  /**
   * Handles a click on a button of a figure.
   *
   * @param {Event} event
   */
  async onClick(event) {
    const button = event.target.closest?.("[data-take]");
    if (!button) return;
    const figure = button.closest('[class*="st-key-figure-"]');
    const kind = button.dataset.take;
    try {
      await this.take(kind, figure, button);
      this.explain(figure, "");
    } catch (problem) {
      if (problem instanceof GuardedCanvasError) {
        this.explain(figure, this.words.guarded);
        return;
      }
      if (problem instanceof TooLargeError) {
        this.explain(figure, this.words.too_large);
        return;
      }
      if (FROM_SERVER.includes(kind)) {
        this.explain(figure, this.words.no_file);
        throw problem;
      }
      const isCopy = ["copy", "caption", "python"].includes(kind);
      showOnButton(button, isCopy ? this.words.no_copy : this.words.no_picture);
      // a browser may forbid copying, for example without https
      if (!isCopy) throw problem;
    }
  }

  // Writes a sentence below the buttons of a figure.
  explain(figure, sentence) {
    const box = figureOnPage(figure).querySelector(".figure-bar .take");
    box.parentNode.querySelector(".notice")?.remove();
    const notice = element("p", { className: "notice", role: "status" }, sentence);
    if (sentence) box.after(notice);
  }

  // Does what a button of a figure says. Ends when the file is saved, copied or printed.
  async take(kind, figure, button) {
    const { name, file } = figure.querySelector(".figure-bar").dataset;
    if (kind === "svg") {
      save(svgFile(await drawFigure(figure)), `${file}.svg`);
    } else if (kind === "png") {
      save(await pngFile(await drawFigure(figure)), `${file}.png`);
    } else if (kind === "caption" || kind === "python") {
      await navigator.clipboard.writeText(
        figure.querySelector(`.figure-bar .take .${kind}`).textContent,
      );
      showOnButton(button, this.words.copied);
    } else if (kind === "print") {
      askForFigureWorksheet(figure, this.words);
    } else if (kind === "pdf") {
      await download(await this.pdfButton(figure, name));
    } else if (kind === "copy") {
      checkCanvases();
      await copy(drawFigure(figure));
      showOnButton(button, this.words.copied);
    } else {
      await download(await this.fileButton(figure, name, kind));
    }
  }

  // Returns Streamlit's download button for a PDF, which the server makes from this picture.
  async pdfButton(figure, name) {
    const { svg, width } = await drawFigure(figure, PAPER_OVERLAP);
    if (svg.length > MOST_CHARACTERS) throw new TooLargeError();
    this.requests += 1;
    const { requests } = this;
    this.askForFile([name, "pdf", svg, width, requests]);
    return waitFor(() => fileButtonOnPage(figure, `pdf-${requests}`), FILE_WITHIN);
  }

  // Returns Streamlit's download button for the numbers. The page removes it after a while.
  fileButton(figure, name, kind) {
    const find = () => fileButtonOnPage(figure, kind);
    if (!find()) this.askForFile([name, kind]);
    return waitFor(find, FILE_WITHIN);
  }
}

// Presses Streamlit's button, which is disabled while the server makes the file.
async function download(button) {
  const box = button.parentNode;
  button.click();
  await new Promise(requestAnimationFrame);
  await waitFor(() => !button.isConnected || !button.disabled, FILE_WITHIN);
  const refused = box.closest(".stDownloadButton")?.querySelector(REFUSED);
  if (refused) throw new Error(refused.textContent);
}

function svgFile({ svg }) {
  return new Blob([svg], { type: "image/svg+xml" });
}

async function pngFile(picture) {
  const url = URL.createObjectURL(svgFile(picture));
  const image = new Image(picture.width, picture.height);
  image.src = url;
  await image.decode();
  const longest = Math.max(picture.width, picture.height);
  const scale = Math.min(PIXELS_PER_PIXEL, LARGEST_SIDE / longest);
  const canvas = new OffscreenCanvas(picture.width * scale, picture.height * scale);
  const brush = canvas.getContext("2d");
  brush.drawImage(image, 0, 0, canvas.width, canvas.height);
  checkPixel(brush, rgbaOf(picture.background).slice(0, 3));
  URL.revokeObjectURL(url);
  const png = await canvas.convertToBlob();
  return withPngTexts(png, { Title: picture.title, Description: picture.caption });
}

// Copies a picture. A browser allows this only directly after a click, so it gets a promise of
// the picture, which may be ready later.
function copy(picture) {
  const text = picture.then((made) => new Blob([made.caption], { type: "text/plain" }));
  const item = new ClipboardItem({ "image/png": picture.then(pngFile), "text/plain": text });
  return navigator.clipboard.write([item]);
}

function save(blob, name) {
  const href = URL.createObjectURL(blob);
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), FORGET_AFTER);
}
