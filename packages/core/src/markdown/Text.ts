/**
 * Untrusted text inside Markdown. It appears only in code spans and fences, which it cannot close. Invisible
 * characters are escaped: control characters, bidirectional marks, zero-width characters. Lengths are in UTF-16
 * units.
 */

/** Escapes invisible characters except line ends, and runs of backticks longer than `maxRun`. */
export const visible = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(unseen, (character) => {
      const code = character.codePointAt(0)!
      return code === newline || code === tab || code === emojiStyle ? character : `\\u{${code.toString(16)}}`
    })
    .replace(longRuns, (run) => `\`\\u{60}{${run.length - 1}}`)

/** Cuts a text that is too long, and adds an ellipsis. */
export const cut = (text: string, maximum: number): string => {
  if (text.length <= maximum) return text
  const end = maximum - 1
  // Never splits a surrogate pair.
  const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
  return `${text.slice(0, Math.max(0, isSplit ? end - 1 : end))}…`
}

/** Returns a code span of one line, or an empty text. */
export const inline = (text: string, maximum: number): string => {
  // Cut first, because texts can be megabytes long.
  const shown = cut(visible(cut(text, maximum)).replace(/\s*\n\s*/g, " "), maximum)
  if (shown.trim() === "") return ""
  const fence = "`".repeat(longestRun(shown) + 1)
  const gap = shown.startsWith("`") || shown.endsWith("`") || shown.startsWith(" ") ? " " : ""
  return `${fence}${gap}${shown}${gap}${fence}`
}

/** Returns a fenced block, which must start a line. */
export const block = (text: string, maximum: number, maximumLine = 2_000): string => {
  const lines = visible(cut(text, maximum))
    .split("\n")
    .map((line) => cut(line, maximumLine))
  const shown = cut(lines.join("\n"), maximum)
  const fence = "`".repeat(Math.max(3, longestRun(shown) + 1))
  return `${fence}text\n${shown}\n${fence}`
}

// internal

/** Fences are one backtick longer than the longest run in them. This limits their length. */
const maxRun = 16
const longRuns = new RegExp(`\`{${maxRun + 1},}`, "g")

const newline = 0x0a
const tab = 0x09
/** Selects the emoji form of the character before it. Half of all emojis contain it. */
const emojiStyle = 0xfe0f

const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const longestRun = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0)
