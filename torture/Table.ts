/** The outcomes of a run as a table for people: one line for each scenario and storage, sums over all rounds. */
import type { Outcome } from "./Run.js"

const columns = [
  "sent",
  "accepted",
  "kills",
  "lost",
  "doubled",
  "dead letters",
  "answered 503",
  "other 5xx",
  "resets",
]
const longest = ["longest outage ms", "longest wait ms"]

export const of = (outcomes: ReadonlyArray<Outcome>): string => {
  const lines = new Map<string, ReadonlyArray<Outcome>>()
  for (const outcome of outcomes) {
    const key = `${outcome.scenario}, ${outcome.storage}`
    lines.set(key, [...(lines.get(key) ?? []), outcome])
  }
  const rows = [...lines].map(([name, all]) => [
    name,
    String(all.length),
    verdicts(all),
    ...columns.map((column) => total(all, column)),
    ...longest.map((column) => String(Math.max(...all.map(({ figures }) => numberOf(figures[column]))))),
  ])
  const head = ["scenario", "rounds", "held", ...columns, ...longest]
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]!.length)))
  return [head, widths.map((width) => "-".repeat(width)), ...rows]
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd(widths[at]!))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("")
}

// internal

const numberOf = (figure: unknown): number => (typeof figure === "number" ? figure : 0)

const total = (outcomes: ReadonlyArray<Outcome>, column: string): string =>
  String(outcomes.reduce((sum, { figures }) => sum + numberOf(figures[column]), 0))

const verdicts = (outcomes: ReadonlyArray<Outcome>): string => {
  const notRun = outcomes.filter(({ verdict }) => verdict === "not run").length
  if (notRun === outcomes.length) return "not run"
  const held = outcomes.filter(({ verdict }) => verdict === "held").length
  return held + notRun === outcomes.length ? "yes" : `no (${outcomes.length - held - notRun} broken)`
}
