/**
 * Hints on tokens of a search that look like filters but are read as text. A hint names the intended filter, if one
 * is similar. Error messages contain colons too, so unknown keys get a hint only if they resemble a filter. Hints do
 * not change the search.
 */

import { severities } from "../event/Severities.js"
import { nearestWord } from "../internal/EditDistance.js"
import { filterKeys, nearFilters, parse, type SearchQuery, statuses } from "./SearchQuery.js"

/** A token of a query that looks like a misspelt filter. */
export interface SearchHint {
  /** As written in the query. */
  readonly token: string
  /**
   * The suggested replacement. Null if a known filter has an invalid value without a suggestion, or no filter
   * resembles the key.
   */
  readonly didYouMean: string | null
}

/** Returns at most ten distinct hints, in the order of the query. `tagKeys` as for `SearchQuery.parse`. */
export const hintsOn = (query: string, tagKeys: ReadonlyArray<string> = []): ReadonlyArray<SearchHint> => {
  const hints = new Map<string, SearchHint>()
  for (const { key, negated, token, value } of nearFilters(query, tagKeys)) {
    if (hints.size === maxHints) break
    if (hints.has(token)) continue
    const sign = negated ? "!" : ""
    if (filterKeys.includes(key)) {
      const meant = meantValue(key, value)
      hints.set(token, { token, didYouMean: filterOrNull(`${sign}${key}:${meant ?? value}`) })
      continue
    }
    const meant = meantKey(key)
    const didYouMean =
      meant === null
        ? null
        : (filterOrNull(`${sign}${meant}:${value}`) ??
          filterOrNull(`${sign}${meant}:${meantValue(meant, value)}`))
    hints.set(token, { token, didYouMean })
  }
  return [...hints.values()]
}

// internal

const maxHints = 10

/** Names in other error trackers. */
const otherNames: Readonly<Record<string, string>> = { env: "environment", level: "severity" }

const meantKey = (key: string): string | null => {
  if (key.startsWith("tag.") && key.length > "tag.".length) return `tags.${key.slice("tag.".length)}`
  // `serverName`, `Server-Name`
  const plain = key
    .replace(/(?<=[a-z])(?=[A-Z])/g, "_")
    .replaceAll("-", "_")
    .toLowerCase()
  return filterKeys.includes(plain) ? plain : (otherNames[plain] ?? nearestWord(plain, filterKeys))
}

/** For filters with fixed values. */
const meantValue = (key: string, value: string): string | null => {
  if (key !== "is" && key !== "severity") return null
  const parts = value.toLowerCase().split(",")
  const words = key === "is" && parts.length === 1 ? [...statuses, ...severities] : severities
  const meant = parts.map((part) => nearestWord(part, words) ?? abbreviated(part, words))
  return meant.includes(null) ? null : meant.join(",")
}

const abbreviated = (part: string, words: ReadonlyArray<string>): string | null => {
  const found = words.filter((word) => part.length >= 3 && word.startsWith(part))
  return found.length === 1 ? found[0]! : null
}

/** Returns the token if it parses as exactly one filter. */
const filterOrNull = (token: string): string | null => {
  const { tags, text, ...filters }: SearchQuery = parse(token)
  return text.length === 0 && Object.keys(filters).length + tags.length === 1 ? token : null
}
