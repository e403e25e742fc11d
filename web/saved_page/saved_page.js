// Shows a saved analysis, whose data are in the page itself.

import { AnalysisView } from "./analysis_view.js";

const view = new AnalysisView(document.getElementById("maps"));
view.open(JSON.parse(document.getElementById("analysis").textContent));
