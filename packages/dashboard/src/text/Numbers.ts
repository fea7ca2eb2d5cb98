/**
 * Counts, shares and sizes in words. Without `Intl`: its first use takes 13 to 32 ms on a slow computer, and a list of
 * recent groups needs it for nothing else.
 */

/** Returns the whole number with separators, e.g. `1,204`. */
export const count = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, ",")

/** Returns a number for narrow columns, e.g. `1.2 k`. */
export const shortCount = (value: number): string => {
  if (value < 1_000) return String(value)
  for (const [unit, size] of units) {
    // 999,500 would be rounded to 1000.0 k.
    if (value < size * 999.5) return `${trimmed(value / size)} ${unit}`
  }
  return `${trimmed(value / 1e12)} T`
}

/** Returns the number with its noun, e.g. `1 report` or `1,204 reports`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** Returns the share in percent. Something is never `0 %`, and not everything is never `100 %`. */
export const share = (part: number, total: number): string => {
  if (total <= 0 || part <= 0) return "0 %"
  const percent = (part / total) * 100
  if (percent < 1) return "< 1 %"
  if (percent > 99 && part < total) return "> 99 %"
  return `${Math.min(100, Math.round(percent))} %`
}

/** Returns a size in bytes in the largest unit that fits, e.g. `1.4 MB`. */
export const bytes = (size: number): string => {
  if (size < 1_000) return size === 1 ? "1 byte" : `${size} bytes`
  for (const [unit, factor] of units) {
    if (size < factor * 999.5) return `${trimmed(size / factor)} ${unit}B`
  }
  return `${trimmed(size / 1e12)} TB`
}

/** Returns the place in an order, e.g. `1,204th`. */
export const ordinal = (value: number): string => `${count(value)}${suffixOf(value)}`

// internal

const suffixOf = (value: number): string => {
  const isTeen = Math.floor((value % 100) / 10) === 1
  return (isTeen ? undefined : ["th", "st", "nd", "rd"][value % 10]) ?? "th"
}

const units = [
  ["k", 1e3],
  ["M", 1e6],
  ["G", 1e9],
] as const

const trimmed = (value: number): string =>
  value < 10 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value))
