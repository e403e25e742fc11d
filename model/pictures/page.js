// The saved page: one analysis, which lies in it.

openAnalysis(JSON.parse(document.getElementById("analysis").textContent));
