// The saved page: one analysis, which lies in it.

import { openAnalysis } from "./analysis_view.js";

openAnalysis(JSON.parse(document.getElementById("analysis").textContent));
