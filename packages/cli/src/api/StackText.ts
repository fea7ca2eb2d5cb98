/** A report for people: what was raised, where, and around it. */
import type { ReportDetailView } from "@errata/api"
import { printable } from "../Table.js"

type Exception = ReportDetailView["exceptions"][number]
type Frame = Exception["frames"][number]

/** How much of a stack is shown: the application's own frames with the others counted, or every one. */
export type StackDetail = "in-app" | "all"

/** The exception that was raised last with its causes below it, the innermost frame first. */
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

/** A message may have lines of its own. */
const headline = (text: string): ReadonlyArray<string> => {
  const lines = text.split(/\r?\n/)
  const shown = lines.slice(0, longestMessage).map(printable)
  return lines.length > longestMessage ? [...shown, `… ${lines.length - longestMessage} more lines`] : shown
}

const longestMessage = 20

const frameLines = (frames: ReadonlyArray<Frame>, detail: StackDetail): ReadonlyArray<string> => {
  // Where nothing is known to be the application's, all of it is shown.
  const isShown = (frame: Frame) =>
    detail === "all" || frame["in_app"] === true || !frames.some((each) => each["in_app"] === true)
  const lines: Array<string> = []
  let hidden = 0
  const tellHidden = () => {
    if (hidden > 0) lines.push(`    … ${hidden} ${hidden === 1 ? "frame" : "frames"} of libraries`)
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

/** `function (file:line:column)`, of that what there is. */
const place = (frame: Frame): string => {
  const file = textOf(frame["filename"]) || textOf(frame["abs_path"]) || textOf(frame["module"])
  const line = [file, frame["lineno"], frame["colno"]].filter((part) => part !== undefined && part !== "")
  const where = line.length === 0 ? textOf(frame["instruction_addr"]) : line.join(":")
  const name = textOf(frame["function"])
  const text = name === "" ? where : where === "" ? name : `${name} (${where})`
  return printable(text === "" ? "?" : text)
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
