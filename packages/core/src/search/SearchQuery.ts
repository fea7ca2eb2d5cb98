/**
 * The search expression of group lists: filters and free text, separated by spaces.
 *
 * `is:unresolved is:error,fatal server_name:web-1 tags.region:eu "connection reset" timeout`
 *
 * Every text is a valid query: words that are no filters are free text. If a filter is repeated, the last one wins.
 */
import { reservedFieldOf, reservedFields, reservedTags, userTags } from "../event/ReservedTags.js"
import { type Severity, severities } from "../event/Severities.js"
import { formatSpan, parseTimeBound, type TimeBound } from "./DateBound.js"
import { type TextTerm, termsOf, words } from "./TextIndex.js"

/** The states of a group; a query has one of them. */
export type Status = "resolved" | "unresolved" | "muted" | "unmuted"

/** Comparison operators for numbers. */
export type Comparison = "=" | ">" | ">=" | "<" | "<="

/** A parsed query. Missing fields do not restrict it. */
export interface SearchQuery {
  /** With negation applied: `!is:resolved` is `unresolved`. */
  readonly status?: Status
  /** True for `is:reopened`, false for `!is:reopened`. */
  readonly reopened?: boolean
  /** Ascending levels, at least one. */
  readonly severity?: { readonly levels: ReadonlyArray<Severity>; readonly negated: boolean }
  readonly serverName?: string
  readonly environment?: string
  readonly release?: string
  readonly errorType?: string
  /** All must match. Keys are distinct. */
  readonly tags: ReadonlyArray<{ readonly key: string; readonly value: string }>
  readonly assignee?: "me" | "none" | number
  readonly reportsCount?: { readonly op: Comparison; readonly value: number }
  readonly usersCount?: { readonly op: Comparison; readonly value: number }
  /** Inclusive. */
  readonly since?: TimeBound
  /** Inclusive. */
  readonly until?: TimeBound
  /** All terms must match. */
  readonly text: ReadonlyArray<TextTerm>
}

/** Maximum length of a query in UTF-16 units. */
export const maxQueryLength = 1000

/**
 * Parses a query. Never fails. `tagKeys` are tag keys of the project: if `tenant` is one of them, `tenant:acme` is
 * the filter `tags.tenant:acme`. A key that matches only in another case also counts.
 */
export const parse = (input: string, tagKeys: ReadonlyArray<string> = []): SearchQuery => {
  const draft = read(input, tagKeys)
  return {
    ...draft.filters,
    tags: Array.from(draft.tags, ([key, value]) => ({ key, value })),
    text: draft.text,
  }
}

/** A token in the form of a filter that is free text, because its key is unknown or its value invalid. */
export interface NearFilter {
  readonly token: string
  readonly negated: boolean
  readonly key: string
  /** As written in the query, with quotes; not empty. */
  readonly value: string
}

/** Returns the near filters of a query in its order. */
export const nearFilters = (input: string, tagKeys: ReadonlyArray<string> = []): ReadonlyArray<NearFilter> =>
  read(input, tagKeys).nearFilters

/** The keys in a query that may be tag keys, without duplicates. */
export const tagKeysAsked = (input: string): ReadonlyArray<string> => {
  const { nearFilters, tags } = read(input, [])
  const near = nearFilters.filter(({ key, negated }) => !negated && !isFilterKey(key)).map(({ key }) => key)
  return [...new Set([...tags.keys(), ...near])]
}

/** Folds keys that differ only in the case of ASCII letters. */
export const foldKey = (key: string): string => key.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** Formats a query in a canonical form, which parses to the same query. */
export const format = (query: SearchQuery): string => {
  const tokens: Array<string> = []
  const filter = (key: string, value: string | number | undefined) => {
    if (value !== undefined) tokens.push(`${key}:${typeof value === "number" ? value : formatValue(value)}`)
  }
  filter("is", query.status)
  if (query.reopened !== undefined) tokens.push(`${query.reopened ? "" : "!"}is:${reopened}`)
  if (query.severity !== undefined) {
    tokens.push(`${query.severity.negated ? "!" : ""}is:${query.severity.levels.join(",")}`)
  }
  for (const field of reservedFields) filter(reservedTags[field], query[field])
  filter("error_type", query.errorType)
  for (const { key, value } of query.tags) filter(`tags.${formatKey(key)}`, value)
  filter("assignee", query.assignee)
  for (const [key, field] of Object.entries(counts)) {
    const count = query[field]
    if (count !== undefined) tokens.push(`${key}:${count.op === "=" ? "" : count.op}${count.value}`)
  }
  filter("since", formatBound(query.since))
  filter("until", formatBound(query.until))
  for (const term of query.text) {
    const isBare = !term.phrase && words(term.words[0] ?? "").length > 0
    tokens.push(isBare ? term.words.join(".") : enquote(term.words.join(" ")))
  }
  return tokens.join(" ")
}

// internal

const counts = { reports_count: "reportsCount", users_count: "usersCount" } as const

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

interface Draft {
  readonly filters: Mutable<Omit<SearchQuery, "tags" | "text">>
  readonly tags: Map<string, string>
  readonly text: Array<TextTerm>
  readonly nearFilters: Array<NearFilter>
  /** The project's tag key for a key of the query. */
  readonly tagKeyOf: (key: string) => string | undefined
}

const read = (input: string, tagKeys: ReadonlyArray<string>): Draft => {
  const tagKeyOf = (key: string) =>
    tagKeys.includes(key) ? key : tagKeys.find((known) => foldKey(known) === foldKey(key))
  const draft: Draft = { filters: {}, tags: new Map(), text: [], nearFilters: [], tagKeyOf }
  const end = input.length
  let at = skip(Space, input, 0)
  while (at < end) {
    at = skip(Space, input, readToken(draft, input, at))
  }
  return draft
}

// Sticky, so that each match continues where the last one ended.
const Space = /\s*/y
const Bare = /\S*/y
const Quoted = /"((?:[^"\\]|\\[\s\S])*)"/y
const Head = /(!?)(?:tags\."((?:[^"\\]|\\[\s\S])+)"|([^\s":]+)):/iy
const MoreLevels = /\s+([a-z,]+)(?=\s|$)/iy

const match = (pattern: RegExp, input: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(input)
}

const skip = (pattern: RegExp, input: string, at: number): number =>
  at + (match(pattern, input, at)?.[0].length ?? 0)

/** Reads the token at a position into the draft. Returns the position of its end. */
const readToken = (draft: Draft, input: string, at: number): number => {
  const phrase = match(Quoted, input, at)
  if (phrase !== null) {
    addText(draft, unquote(phrase[1] ?? ""), true)
    return at + phrase[0].length
  }
  const head = match(Head, input, at)
  if (head === null) {
    const end = skip(Bare, input, at)
    addText(draft, input.slice(at, end), false)
    return end
  }
  const valueAt = at + head[0].length
  const quoted = match(Quoted, input, valueAt)
  let end = quoted === null ? skip(Bare, input, valueAt) : valueAt + quoted[0].length
  let value = quoted === null ? input.slice(valueAt, end) : unquote(quoted[1] ?? "")
  const negated = head[1] === "!"
  const [, , quotedTagKey, writtenKey = ""] = head
  const key = filterKeyOf(writtenKey)
  if (quotedTagKey !== undefined) {
    if (!negated && setTag(draft, unquote(quotedTagKey), value)) return end
  } else {
    if (key === "is" || key === "severity") {
      // `is:error, warning`
      while (value.endsWith(",")) {
        const more = match(MoreLevels, input, end)
        if (more === null || readLevels(more[1] ?? "") === null) break
        value += more[1]
        end += more[0].length
      }
    }
    if (setFilter(draft, key, value, negated)) return end
    const tagKey = negated ? undefined : draft.tagKeyOf(key)
    if (tagKey !== undefined && !isFilterKey(key) && setTag(draft, tagKey, value)) return end
    const token = input.slice(at, end)
    if (value !== "") draft.nearFilters.push({ token, negated, key, value: input.slice(valueAt, end) })
  }
  addText(draft, input.slice(at, end), false)
  return end
}

const addText = (draft: Draft, text: string, phrase: boolean): void => {
  draft.text.push(...termsOf(text, phrase))
}

/** The keys of filters, in lower case. */
export const filterKeys: ReadonlyArray<string> = [
  ...["is", "severity", ...Object.values(reservedTags), "error_type"],
  ...userTags,
  ...["assignee", ...Object.keys(counts), "since", "until"],
]

const isFilterKey = (key: string): boolean => filterKeys.includes(key)

/** Folds the case of filter keys, and keeps the case of others. */
const filterKeyOf = (key: string): string => {
  const lower = key.toLowerCase()
  if (isFilterKey(lower)) return lower
  return lower.startsWith("tags.") ? `tags.${key.slice("tags.".length)}` : key
}

/** Sets a filter. Returns false if key and value are no filter. */
const setFilter = (draft: Draft, key: string, value: string, negated: boolean): boolean => {
  if (value === "") return false
  const { filters } = draft
  if (key === "is" || key === "severity") {
    const status = value.toLowerCase()
    if (key === "is" && isStatus(status)) {
      filters.status = negated ? opposite[status] : status
      return true
    }
    if (key === "is" && status === reopened) {
      filters.reopened = !negated
      return true
    }
    const levels = readLevels(value)
    if (levels === null) return false
    filters.severity = { levels, negated }
    return true
  }
  if (negated) return false
  const reserved = reservedFieldOf(key)
  if (reserved !== undefined) {
    filters[reserved] = value
    return true
  }
  switch (key) {
    case "error_type":
      filters.errorType = value
      return true
    case "assignee": {
      const assignee = readAssignee(value)
      if (assignee === null) return false
      filters.assignee = assignee
      return true
    }
    case "reports_count":
    case "users_count": {
      const [, op, count] = /^(>=|<=|>|<|=)?(\d{1,15})$/.exec(value) ?? []
      if (count === undefined) return false
      filters[counts[key]] = { op: (op as Comparison | undefined) ?? "=", value: Number(count) }
      return true
    }
    case "since": {
      const since = parseTimeBound(value, "start")
      if (since === null) return false
      filters.since = since
      return true
    }
    case "until": {
      const until = parseTimeBound(value, "end")
      if (until === null) return false
      filters.until = until
      return true
    }
    case "user.id":
    case "user.email":
    case "user.ip":
      return setTag(draft, key, value)
    default:
      return key.startsWith("tags.") && setTag(draft, key.slice("tags.".length), value)
  }
}

const setTag = (draft: Draft, writtenKey: string, value: string): boolean => {
  if (writtenKey === "" || value === "") return false
  const key =
    reservedFieldOf(writtenKey) === undefined ? (draft.tagKeyOf(writtenKey) ?? writtenKey) : writtenKey
  if (reservedFieldOf(key) !== undefined) return setFilter(draft, key, value, false)
  // Deleted first, so that tags are in the order of the last occurrence.
  draft.tags.delete(key)
  draft.tags.set(key, value)
  return true
}

const opposite: Readonly<Record<Status, Status>> = {
  resolved: "unresolved",
  unresolved: "resolved",
  muted: "unmuted",
  unmuted: "muted",
}

const reopened = "reopened"

/** The values of `is:` besides severities. */
export const statuses: ReadonlyArray<string> = [...Object.keys(opposite), reopened]

const isStatus = (text: string): text is Status => Object.hasOwn(opposite, text)

/** Parses a comma-separated list of levels, in ascending order. Null if it is empty or has other words. */
const readLevels = (list: string): ReadonlyArray<Severity> | null => {
  const named = list
    .toLowerCase()
    .split(",")
    .filter((part) => part !== "")
  const levels = severities.filter((level) => named.includes(level))
  return levels.length > 0 && named.every((name) => severities.includes(name as Severity)) ? levels : null
}

const readAssignee = (value: string): "me" | "none" | number | null => {
  const lower = value.toLowerCase()
  if (lower === "me" || lower === "none") return lower
  return /^[1-9]\d{0,14}$/.test(value) ? Number(value) : null
}

// A backslash escapes only quotes and backslashes, so that Windows paths need no escaping.
const unquote = (text: string): string => text.replace(/\\(["\\])/g, "$1")

const enquote = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`

const formatBound = (bound: TimeBound | undefined): string | undefined =>
  typeof bound === "number" ? new Date(bound).toISOString() : bound && formatSpan(bound)

const formatValue = (value: string): string => (/^[^\s"]+$/.test(value) ? value : enquote(value))

const formatKey = (key: string): string => (/^[^\s":]+$/.test(key) ? key : enquote(key))
