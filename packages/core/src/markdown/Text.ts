/**
 * Texts of strangers inside Markdown. They stand in code spans and fences alone, which nothing in them can close, and what
 * nobody would see in them is written out: control characters, marks that turn the direction of writing, characters
 * without a width. Plain strings; lengths are in UTF-16 units.
 */

/** Writes out what cannot be seen, and leaves the ends of lines. No run of backticks in it is longer than `maxRun`. */
export const visible = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(unseen, (character) => {
      const code = character.codePointAt(0)!
      return code === newline || code === tab || code === emojiStyle ? character : `\\u{${code.toString(16)}}`
    })
    .replace(longRuns, (run) => `\`\\u{60}{${run.length - 1}}`)

/** The beginning of a text where it is too long, with an ellipsis. */
export const cut = (text: string, maximum: number): string => {
  if (text.length <= maximum) return text
  const end = maximum - 1
  // No half of a pair is left over.
  const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
  return `${text.slice(0, Math.max(0, isSplit ? end - 1 : end))}…`
}

/** A code span of one line; empty for an empty text. */
export const inline = (text: string, maximum: number): string => {
  // Nothing far beyond the end is looked at: texts can be megabytes.
  const shown = cut(visible(cut(text, maximum)).replace(/\s*\n\s*/g, " "), maximum)
  if (shown.trim() === "") return ""
  const fence = "`".repeat(longestRun(shown) + 1)
  const gap = shown.startsWith("`") || shown.endsWith("`") || shown.startsWith(" ") ? " " : ""
  return `${fence}${gap}${shown}${gap}${fence}`
}

/** A fenced block. It is for the start of a line. */
export const block = (text: string, maximum: number, maximumLine = 2_000): string => {
  const lines = visible(cut(text, maximum))
    .split("\n")
    .map((line) => cut(line, maximumLine))
  const shown = cut(lines.join("\n"), maximum)
  const fence = "`".repeat(Math.max(3, longestRun(shown) + 1))
  return `${fence}text\n${shown}\n${fence}`
}

// internal

/** Fences are one longer than what they enclose: nobody needs them longer than this. */
const maxRun = 16
const longRuns = new RegExp(`\`{${maxRun + 1},}`, "g")

const newline = 0x0a
const tab = 0x09
/** Selects the colored form of the character before it; half of all emojis have it. */
const emojiStyle = 0xfe0f

const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0)
