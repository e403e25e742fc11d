// Names of files end in ".tsv"; telephones know files by their type, and offer no other files.
const TYPES = { ".txt": "text/plain", ".tsv": "text/tab-separated-values,text/plain" };

/** Lets a telephone offer the files that an upload takes: Streamlit names only their endings. */
export function nameFileTypes() {
  for (const input of document.querySelectorAll("input[type=file][accept]")) {
    const accepted = input.accept.split(",").map((name) => name.trim());
    const types = accepted.flatMap((name) => TYPES[name]?.split(",") ?? []);
    const missing = types.filter((type) => !accepted.includes(type));
    if (missing.length) input.accept = [...new Set([...accepted, ...missing])].join();
  }
}
