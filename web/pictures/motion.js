export const still = matchMedia("(prefers-reduced-motion: reduce)");
