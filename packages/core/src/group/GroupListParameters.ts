/** The parameters of a list of groups, as they are written and as they are read. */
import { Clock, Effect } from "effect"
import { notTimeBound, parseTimeBound } from "../search/DateBound.js"
import { maxQueryLength, parse, type Status } from "../search/SearchQuery.js"
import { tooLong, toStorable } from "../validation/StorableText.js"
import { ValidationError } from "../validation/ValidationError.js"
import { type GroupFilter, make } from "./GroupFilter.js"

/** The parameters of a list as people and programs write them. */
export interface GroupListTexts {
  /** A search expression; see `SearchQuery`. */
  readonly query?: string | undefined
  readonly status?: string | undefined
  readonly resolved?: string | undefined
  /** A date, an ISO 8601 timestamp, or a span back from now such as `24h`; a date stands for its first moment. */
  readonly since?: string | undefined
  /** Written alike; a date stands for its last moment. */
  readonly until?: string | undefined
}

/**
 * Reads the parameters of a list. `me` is the user who asks; null matches no assignee. `tagKeys` are keys of tags of the
 * project, see `SearchQuery.parse`.
 */
export const read = (
  texts: GroupListTexts,
  me: number | null,
  tagKeys: ReadonlyArray<string> = [],
): Effect.Effect<GroupFilter, ValidationError> => {
  const status = readGiven(texts.status, parseStatus)
  const resolved = readGiven(texts.resolved, parseResolved)
  const since = readGiven(texts.since, (text) => parseTimeBound(text, "start"))
  const until = readGiven(texts.until, (text) => parseTimeBound(text, "end"))
  return Effect.zipWith(
    ValidationError.ensure({
      query: (texts.query ?? "").length > maxQueryLength ? tooLong(maxQueryLength) : null,
      status: status === null ? notStatus : null,
      resolved: resolved === null ? notResolved : null,
      lastOccurredFrom: since === null ? notTimeBound : null,
      lastOccurredTo: until === null ? notTimeBound : null,
    }),
    Clock.currentTimeMillis,
    (_, now) =>
      make(
        // What no storage holds is searched for in vain, and not every one can be asked about it.
        parse(toStorable(texts.query ?? ""), tagKeys),
        {
          ...given("status", status),
          ...given("resolved", resolved),
          ...given("since", since),
          ...given("until", until),
        },
        me ?? nobody,
        now,
      ),
  )
}

/** Reads a `status` parameter; null where it is none. */
export const parseStatus = (text: string): Status | "all" | null => {
  switch (text) {
    case "resolved":
    case "unresolved":
    case "muted":
    case "unmuted":
    case "all":
      return text
    default:
      return null
  }
}

/** Reads a `resolved` parameter; null where it is none. */
export const parseResolved = (text: string): boolean | null => {
  switch (text) {
    case "true":
    case "resolved":
    case "1":
      return true
    case "false":
    case "unresolved":
    case "0":
      return false
    default:
      return null
  }
}

/** The message about an unknown status. */
export const notStatus = "must be unresolved, resolved, muted, unmuted or all"
/** The message about a value that is neither true nor false. */
export const notResolved = "must be true, false, resolved, unresolved, 1 or 0"

// internal

/** Matches no user: only people have groups assigned to them. */
const nobody = 0

/** Undefined where nothing is given, null where it cannot be read. */
const readGiven = <A>(text: string | undefined, parse: (text: string) => A | null): A | null | undefined =>
  text === undefined ? undefined : parse(text)

const given = <Key extends string, A>(key: Key, value: A | null | undefined): { readonly [K in Key]?: A } =>
  value === null || value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: A })
