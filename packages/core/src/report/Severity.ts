import { Schema } from "effect"

/** How bad a report is, from `debug` up to `fatal`. A group carries the highest ever seen in it. */
export const Severity = Schema.Literal("fatal", "error", "warning", "info", "debug")
export type Severity = typeof Severity.Type

/** The levels from the least to the most severe; the index in it is the rank that storages keep. */
export const severities: ReadonlyArray<Severity> = ["debug", "info", "warning", "error", "fatal"]

const ranks: Readonly<Record<Severity, number>> = { debug: 0, info: 1, warning: 2, error: 3, fatal: 4 }

/** 0 for `debug` to 4 for `fatal`. */
export const rank = (severity: Severity): number => ranks[severity]

/** The severity of a rank; ranks outside 0..4 read as `error`. */
export const fromRank = (value: number): Severity => severities[value] ?? "error"

/** The more severe of two. */
export const max = (self: Severity, that: Severity): Severity => (ranks[self] >= ranks[that] ? self : that)
