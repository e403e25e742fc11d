// Write the whole page in one font, so that letters have the same width on every machine. Runs
// before the page's own code. The font is given as bytes, so it needs no loading.

function oneFont(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt());
  document.fonts.add(new FontFace("One", bytes, { weight: "200 900" }));
  const rules = ["font-family", "--st-font", "--serif"].map((name) => `${name}: One !important`);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`:not([data-testid=stIconMaterial]) { ${rules.join("; ")} }`);
  document.adoptedStyleSheets.push(sheet);
}
