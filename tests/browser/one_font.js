// Letters as wide as on any other machine: all that a page writes is in this one font. Runs before
// the page does; a font that is given as bytes is there at once.

function oneFont(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt());
  document.fonts.add(new FontFace("One", bytes, { weight: "200 900" }));
  const rules = ["font-family", "--st-font", "--serif"].map((name) => `${name}: One !important`);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`:not([data-testid=stIconMaterial]) { ${rules.join("; ")} }`);
  document.adoptedStyleSheets.push(sheet);
}
