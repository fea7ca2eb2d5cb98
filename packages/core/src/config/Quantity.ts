/** Parses and formats quantities: `5 seconds`, `PT5S`, `16 MiB`, `1000`. */
import { Duration, Option } from "effect"

/** Parses a whole number without a sign. */
export const parseCount = (text: string): Option.Option<number> =>
  /^\d{1,15}$/.test(text) ? Option.some(Number(text)) : Option.none()

/** Parses bytes, with or without a unit. */
export const parseBytes = (text: string): Option.Option<number> => {
  const [, amount, unit = "B"] = /^(\d{1,15}(?:\.\d{1,6})?) ?([KMGT]iB|B)?$/.exec(text) ?? []
  const bytes = Number(amount) * (bytesOf.get(unit) ?? Number.NaN)
  return Number.isSafeInteger(bytes) ? Option.some(bytes) : Option.none()
}

/** Formats bytes in the largest unit that leaves a whole number. */
export const formatBytes = (bytes: number): string => inUnits(bytes, byteUnits)

/** Parses a duration in words, in ISO 8601 format, or as a number of milliseconds. */
export const parseDuration = (text: string): Option.Option<Duration.Duration> => {
  if (/^\d{1,15}$/.test(text)) return Option.some(Duration.millis(Number(text)))
  if (/^P/.test(text)) return Duration.fromIso(text)
  const [, amount, unit] = /^(\d{1,15}(?:\.\d{1,6})?) ?([a-z]+)$/.exec(text) ?? []
  const millis = unit === undefined ? undefined : millisOf.get(unit.replace(/s$/, ""))
  return millis === undefined ? Option.none() : Option.some(Duration.millis(Number(amount) * millis))
}

/** Formats a duration in the largest unit that leaves a whole number. */
export const formatDuration = (duration: Duration.Duration): string => {
  const text = inUnits(Duration.toMillis(duration), durationUnits)
  return text.startsWith("1 ") ? text : `${text}s`
}

// internal

const byteUnits = [
  ["TiB", 1024 ** 4],
  ["GiB", 1024 ** 3],
  ["MiB", 1024 ** 2],
  ["KiB", 1024],
  ["B", 1],
] as const

const bytesOf = new Map<string, number>(byteUnits)

const durationUnits = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
  ["milli", 1],
] as const

const millisOf = new Map<string, number>([...durationUnits, ["week", 604_800_000], ["millisecond", 1]])

const inUnits = (amount: number, units: ReadonlyArray<readonly [unit: string, size: number]>): string => {
  const found = units.find(([, size]) => amount >= size && amount % size === 0) ?? units.at(-1)!
  return `${amount / found[1]} ${found[0]}`
}
