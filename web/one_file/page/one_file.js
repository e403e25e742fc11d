// Starts the explorer in one file. Its models, texts and styles are in the page itself.

import { watchPrinting } from "../../saved_page/paper_pictures.js";
import { Explorer } from "./explorer.js";

const explorer = new Explorer(JSON.parse(document.getElementById("model").textContent));
watchPrinting();
explorer.openLink();
