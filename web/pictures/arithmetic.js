export const clamp = (index, size) => Math.min(size - 1, Math.max(0, index));
