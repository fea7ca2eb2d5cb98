/** Formats the exceptions of a report for people. */
import type { ReportDetailView } from "@errata/api"
import { printable } from "../Table.js"

type Exception = ReportDetailView["exceptions"][number]
type Frame = Exception["frames"][number]

/** Frames to show: those of the application, with a count of the others, or all. */
export type StackDetail = "in-app" | "all"

/** Formats the exception that was raised last, with its causes below, and the innermost frame first. */
export const stackText = (report: ReportDetailView, detail: StackDetail): ReadonlyArray<string> =>
  report.exceptions
    .toReversed()
    .flatMap((exception, i) => [
      ...headline(`${i === 0 ? "" : "Caused by "}${titleOf(exception)}`),
      ...frameLines(exception.frames.toReversed(), detail),
    ])

// internal

const titleOf = ({ type, value }: Exception): string =>
  [type, value].filter((part) => part !== null && part !== "").join(": ") || "(no message)"

/** A message may have several lines. */
const headline = (text: string): ReadonlyArray<string> => {
  const lines = text.split(/\r?\n/)
  const shown = lines.slice(0, longestMessage).map(printable)
  return lines.length > longestMessage ? [...shown, `… ${lines.length - longestMessage} more lines`] : shown
}

const longestMessage = 20

const frameLines = (frames: ReadonlyArray<Frame>, detail: StackDetail): ReadonlyArray<string> => {
  // Without known application frames, all frames are shown.
  const isShown = (frame: Frame) =>
    detail === "all" || frame["in_app"] === true || !frames.some((each) => each["in_app"] === true)
  const lines: Array<string> = []
  let hidden = 0
  const tellHidden = () => {
    if (hidden > 0) lines.push(`    … ${hidden} library ${hidden === 1 ? "frame" : "frames"}`)
    hidden = 0
  }
  for (const frame of frames) {
    if (!isShown(frame)) {
      hidden++
      continue
    }
    tellHidden()
    lines.push(`    at ${place(frame)}`)
    const source = textOf(frame["context_line"]).trim()
    if (source !== "") lines.push(`        ${printable(source).slice(0, longestSource)}`)
  }
  tellHidden()
  return lines
}

const longestSource = 160

/** Formats `function (file:line:column)` from the known parts. */
const place = (frame: Frame): string => {
  const file = textOf(frame["filename"]) || textOf(frame["abs_path"]) || textOf(frame["module"])
  const line = [file, frame["lineno"], frame["colno"]].filter((part) => part !== undefined && part !== "")
  const where = line.length === 0 ? textOf(frame["instruction_addr"]) : line.join(":")
  const name = textOf(frame["function"])
  const text = name === "" ? where : where === "" ? name : `${name} (${where})`
  return printable(text === "" ? "?" : text)
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
