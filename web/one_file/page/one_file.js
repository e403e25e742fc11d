// Starts the explorer in one file. Its models, texts and styles are in the page itself.

import { Explorer } from "./explorer.js";

const explorer = new Explorer(JSON.parse(document.getElementById("model").textContent));
explorer.openModel(0);
