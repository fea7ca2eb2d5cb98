/** Formats groups and reports as text. */
import { basename } from "node:path"

const columns = [
  { title: "TYPE", of: (group) => group.error_type },
  { title: "MESSAGE", of: (group) => shortened(group.error_message, 40) },
  { title: "CULPRIT", of: (group) => shortened(group.culprit, 24) },
  { title: "REPORTS", of: (group) => String(group.reports_count), right: true },
  { title: "SEVERITY", of: (group) => group.severity },
  { title: "FIRST SEEN", of: (group) => timeOf(group.first_occurred_at) },
  { title: "LAST SEEN", of: (group) => timeOf(group.last_occurred_at) },
]

/** Returns a table with a header and one line per group. */
export const tableOfGroups = (groups) => {
  const cells = columns.map(({ of, title }) => [title, ...groups.map(of)])
  const widths = cells.map((column) => Math.max(...column.map((cell) => cell.length)))
  const line = (row) =>
    columns
      .map(({ right }, i) => (right ? cells[i][row].padStart(widths[i]) : cells[i][row].padEnd(widths[i])))
      .join("  ")
      .trimEnd()
  return [line(0), widths.map((width) => "─".repeat(width)).join("  "), ...groups.map((_, i) => line(i + 1))]
}

/** Returns the error and its causes, each with its innermost in-app frames. */
export const stackOfReport = ({ exceptions }) =>
  exceptions.toReversed().flatMap(({ frames, type, value }, i) => [
    `${i === 0 ? "" : "caused by "}${type}: ${value}`,
    ...frames
      .filter((frame) => frame.in_app)
      .slice(-2)
      .toReversed()
      .flatMap((frame) => [
        `    at ${frame.function} (${basename(frame.filename)}:${frame.lineno}:${frame.colno})`,
        `        ${frame.context_line.trim()}`,
      ]),
  ])

const shortened = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text)

const timeOf = (timestamp) => new Date(timestamp).toLocaleTimeString("en-GB")
