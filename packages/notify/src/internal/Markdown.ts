/** Messages in the Markdown of Discord and Mattermost. */
import { type Content, factLine, moreText } from "./Content.js"
import { type Escape, oneLine, orElse, whole } from "./Text.js"

/**
 * Escapes every character that begins markup, and separates `@` from the name after it: neither mentions nor links arise from
 * texts of applications.
 */
export const markdown: Escape = (character, next) => {
  if (character === "@") return "@\u200b"
  // Colons begin emojis and follow the protocol of a URL.
  if (character === ":") return next === " " || next === "" ? ":" : "\\:"
  return /[\\*_~`|>#\-+=[\](){}<!$&]/.test(character) ? `\\${character}` : character
}

/** A link, or the text alone. The text is escaped already. */
export const linked = (text: string, url: string | null): string =>
  url === null ? text : `[${text}](${url})`

/** All but the title, cut to whole lines within a limit. */
export const linesOf = (content: Content, maximum: number): string => {
  const { culprit, footer, frames, links, sections } = content
  const end = links.map(({ label, url }) => linked(label, url)).join(" · ")
  const facts = factLine(content, markdown)
  const parts = [
    ...(culprit === null || code(culprit, 200) === "" ? [] : [`\`${code(culprit, 200)}\``]),
    ...(facts === "" ? [] : [facts]),
    ...codeOf(frames),
    ...sections.flatMap(({ lines, more, title }) => [
      `**${orElse(oneLine(title, 100, markdown), "Groups")}**`,
      ...lines.map(({ text, url }) => `- ${linked(orElse(oneLine(text, 160, markdown), "…"), url)}`),
      ...(more === 0 ? [] : [`- ${moreText(more)}`]),
      ...(lines.length + more === 0 ? ["- none"] : []),
    ]),
    ...(footer === "" ? [] : [`_${oneLine(footer, 200, markdown)}_`]),
  ]
  const body = whole(parts, maximum - end.length - 1)
  return [body, end].filter((text) => text !== "").join("\n")
}

// internal

const code = (text: string, maximum: number): string => oneLine(text, maximum).replaceAll("`", "'")

/** A fence, which ends at three backticks: the frames have none. */
const codeOf = (frames: ReadonlyArray<string>): ReadonlyArray<string> => {
  const text = frames.map((frame) => code(frame, 160)).join("\n")
  return text.trim() === "" ? [] : [`\`\`\`\n${text}\n\`\`\``]
}
