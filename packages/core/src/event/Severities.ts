/** The levels of severity, each written here and nowhere else. Without imports: a browser reads searches with them. */

/** From the most to the least severe, as the contract lists them. */
export const levels = ["fatal", "error", "warning", "info", "debug"] as const

export type Severity = (typeof levels)[number]

/** The levels from the least to the most severe; the index in it is the rank that storages keep. */
export const severities: ReadonlyArray<Severity> = [...levels].reverse()

/** 0 for `debug` to 4 for `fatal`. */
export const rank = (severity: Severity): number => ranks[severity]

/** The severity of a rank; ranks outside 0..4 read as `error`. */
export const fromRank = (value: number): Severity => severities[value] ?? "error"

/** The more severe of two. */
export const max = (self: Severity, that: Severity): Severity => (ranks[self] >= ranks[that] ? self : that)

/** True for the severities that projects may limit their notifications to. */
export const isErrorOrFatal = (severity: Severity): boolean => severity === "error" || severity === "fatal"

// internal

const ranks = Object.fromEntries(severities.map((severity, index) => [severity, index])) as Readonly<
  Record<Severity, number>
>
