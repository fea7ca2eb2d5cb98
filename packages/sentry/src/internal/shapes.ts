/** Reads lists and dictionaries in the shapes that old and new clients send. */
import { isRecord, type UnknownRecord } from "./json.js"

/** The records of `[...]`, of `{ values: [...] }`, or a lone record. Other values are dropped. */
export const recordsOf = (value: unknown): ReadonlyArray<UnknownRecord> => {
  if (Array.isArray(value)) return value.every(isRecord) ? value : value.filter(isRecord)
  if (!isRecord(value)) return []
  if ("values" in value) return Array.isArray(value.values) ? recordsOf(value.values) : []
  return Object.keys(value).length === 0 ? [] : [value]
}

/** The entries of a dictionary, of a list of pairs, or of a list of `{ key, value }`. */
export const entriesOf = (value: unknown): ReadonlyArray<readonly [key: string, value: unknown]> => {
  if (isRecord(value)) return Object.entries(value)
  if (!Array.isArray(value)) return []
  const entries: Array<readonly [string, unknown]> = []
  for (const item of value) {
    if (Array.isArray(item)) {
      if (isScalar(item[0])) entries.push([String(item[0]), item[1]])
    } else if (isRecord(item)) {
      const key = item.key ?? item.name
      if (isScalar(key)) entries.push([String(key), item.value])
    }
  }
  return entries
}

export const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** An integer, or a string that contains one. */
export const integerOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && value !== "" && value.length < 20 ? Number(value) : value
  return typeof number === "number" && Number.isSafeInteger(number) ? number : undefined
}

/** A boolean, or a string that contains one. */
export const booleanOf = (value: unknown): boolean | undefined => {
  if (typeof value === "boolean") return value
  return value === "true" ? true : value === "false" ? false : undefined
}

/** An object under construction. */
export type Draft<A> = { -readonly [K in keyof A]: A[K] }
