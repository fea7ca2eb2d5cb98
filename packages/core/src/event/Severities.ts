/** Severity levels. No imports: the browser parses searches with this module. */

/** From most to least severe, the order of the API. */
export const levels = ["fatal", "error", "warning", "info", "debug"] as const

export type Severity = (typeof levels)[number]

/** From least to most severe. The index is the rank that storages keep. */
export const severities: ReadonlyArray<Severity> = [...levels].reverse()

/** 0 for `debug` to 4 for `fatal`. */
export const rank = (severity: Severity): number => ranks[severity]

/** The severity of a rank. Ranks outside 0..4 map to `error`. */
export const fromRank = (value: number): Severity => severities[value] ?? "error"

/** The more severe of two. */
export const max = (self: Severity, that: Severity): Severity => (ranks[self] >= ranks[that] ? self : that)

/** True for the severities that projects can limit their notifications to. */
export const isErrorOrFatal = (severity: Severity): boolean => severity === "error" || severity === "fatal"

// internal

const ranks = Object.fromEntries(severities.map((severity, index) => [severity, index])) as Readonly<
  Record<Severity, number>
>
