/** Parses timestamps of clients: epoch seconds as number or text, ISO 8601 with or without a zone. */

/** Epoch milliseconds. Null for invalid times and for years beyond four digits. */
export const parseTimestamp = (value: unknown): number | null => {
  if (typeof value === "number") return fromNumber(value)
  if (typeof value !== "string" || value.length > 64) return null
  const match = iso.exec(value)
  if (match === null) return number.test(value) ? fromNumber(Number(value)) : null
  const millis = Date.UTC(
    Number(match[1]),
    Number(match[2]) - 1,
    Number(match[3]),
    Number(match[4] ?? 0),
    Number(match[5] ?? 0),
    Number(match[6] ?? 0),
    Math.trunc(Number(`0.${match[7] ?? 0}`) * 1000),
  )
  return inRange(millis - offsetMillis(match[8]))
}

/** ISO 8601 in UTC, or undefined for an invalid time. */
export const isoTimestamp = (value: unknown): string | undefined => {
  if (typeof value === "string" && value.length <= 30 && isoUtc.test(value)) return value
  const millis = parseTimestamp(value)
  return millis === null ? undefined : new Date(millis).toISOString()
}

// internal

const iso =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,12}))?)?)? ?(Z|z|UTC|[+-]\d\d:?\d\d)?$/
const isoUtc =
  /^[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/
const number = /^-?\d{1,15}(?:\.\d{1,15})?$/

// Above this, seconds would lie in the year 5138: the sender means milliseconds.
const maxSeconds = 1e11

const fromNumber = (value: number): number | null =>
  inRange(Math.round(Math.abs(value) < maxSeconds ? value * 1000 : value))

const inRange = (millis: number): number | null =>
  millis >= -62_135_596_800_000 && millis <= 253_402_300_799_999 ? millis : null

const offsetMillis = (zone: string | undefined): number => {
  if (zone === undefined || zone.length < 5) return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))
  return (zone.startsWith("-") ? -minutes : minutes) * 60_000
}
