import type { FrameExcerpt } from "@errata/core/internal"

/** A frame in one line, e.g. `src/cart.js:12:31 in total`. */
export const frameText = ({ function: name, place, times }: FrameExcerpt): string =>
  `${[place, name].filter((part) => part !== "").join(" in ") || "?"}${times === 1 ? "" : ` (${times} times)`}`
