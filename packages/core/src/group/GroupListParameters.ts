/** Parses the parameters of a group list. */
import { Clock, Effect } from "effect"
import { notTimeBound, parseTimeBound } from "../search/DateBound.js"
import { maxQueryLength, parse, type Status } from "../search/SearchQuery.js"
import { tooLong, toStorable } from "../validation/StorableText.js"
import { ValidationError } from "../validation/ValidationError.js"
import { type GroupFilter, make } from "./GroupFilter.js"

/** The parameters of a list as text. */
export interface GroupListTexts {
  /** A search expression; see `SearchQuery`. */
  readonly query?: string | undefined
  readonly status?: string | undefined
  readonly resolved?: string | undefined
  /** A date (its first moment), an ISO 8601 timestamp, or a span before now such as `24h`. */
  readonly since?: string | undefined
  /** In the same format; a date stands for its last moment. */
  readonly until?: string | undefined
}

/**
 * Parses the parameters of a list. `me` is the id of the caller; null matches no assignee. `tagKeys` are tag keys of
 * the project, see `SearchQuery.parse`.
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
        // Replaces characters that no storage accepts. No stored text contains them.
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

/** Parses a `status` parameter; null if invalid. */
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

/** Parses a `resolved` parameter; null if invalid. */
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

/** The error message for an invalid `status`. */
export const notStatus = "must be unresolved, resolved, muted, unmuted or all"
/** The error message for an invalid `resolved`. */
export const notResolved = "must be true, false, resolved, unresolved, 1 or 0"

// internal

/** Matches no user: only people have groups assigned to them. */
const nobody = 0

/** Undefined if the parameter is absent, null if it is invalid. */
const readGiven = <A>(text: string | undefined, parse: (text: string) => A | null): A | null | undefined =>
  text === undefined ? undefined : parse(text)

const given = <Key extends string, A>(key: Key, value: A | null | undefined): { readonly [K in Key]?: A } =>
  value === null || value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: A })
