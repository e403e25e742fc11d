export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
