/** The source in a report: each line once, even if several frames or exceptions show it. */
import type { FrameExcerpt } from "@errata/core/internal"
import { frameText } from "./FrameText.js"

/** Source by file. `>` marks the lines that frames execute, `…` a gap. */
export const sourceJson = (frames: ReadonlyArray<FrameExcerpt>): Readonly<Record<string, string>> => {
  const files = new Map<string, Lines>()
  for (const frame of frames) {
    if (frame.source.length === 0) continue
    const lines = files.get(frame.file)
    if (lines === undefined) files.set(frame.file, merged(new Map(), frame))
    else if (agree(lines, frame)) merged(lines, frame)
    // Another file of the same name, e.g. `index.js` of several packages.
    else files.set(frameText(frame), merged(new Map(), frame))
  }
  return Object.fromEntries([...files].map(([file, lines]) => [file, textOf(lines)]))
}

// internal

type Line = FrameExcerpt["source"][number]

/** By number; lines without a number have negative keys in their order. */
type Lines = Map<number, Line>

const keyOf = ({ number }: Line, i: number): number => number ?? i - 1_000

const agree = (lines: Lines, { source }: FrameExcerpt): boolean =>
  source.every((line, i) => (lines.get(keyOf(line, i))?.text ?? line.text) === line.text)

const merged = (lines: Lines, { source }: FrameExcerpt): Lines => {
  source.forEach((line, i) => {
    const key = keyOf(line, i)
    if (line.isCurrent || !lines.has(key)) lines.set(key, line)
  })
  return lines
}

const textOf = (lines: Lines): string => {
  const sorted = [...lines].sort(([a], [b]) => a - b)
  const indent = Math.min(
    ...sorted.filter(([, { text }]) => text.trim() !== "").map(([, { text }]) => text.search(/\S/)),
  )
  return sorted
    .map(([key, { isCurrent, number, text }], i) => {
      const isGap = i > 0 && sorted[i - 1]![0] !== key - 1
      return `${isGap ? "…\n" : ""}${isCurrent ? ">" : " "}${number ?? ""}|${text.slice(indent).trimEnd()}`
    })
    .join("\n")
}
