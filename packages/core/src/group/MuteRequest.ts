import { Data, DateTime, Effect } from "effect"
import { momentOf, notTimeBound, parseTimeBound } from "../search/DateBound.js"
import { deadlineProblem } from "../validation/Moment.js"
import { ValidationError } from "../validation/ValidationError.js"
import { nextRelease } from "./Group.js"

/** The end of a mute in a request: none, a time, a number of further reports, or the next release. */
export type MuteRequest = Data.TaggedEnum<{
  Permanent: {}
  Until: { readonly until: DateTime.Utc }
  ForReports: { readonly occurrences: number }
  UntilNextRelease: {}
}>
export const MuteRequest = Data.taggedEnum<MuteRequest>()

/** Maximum number of reports that a mute can last. */
export const maxOccurrences = 1_000_000_000

/** The end of a mute as text. All fields are optional. */
export interface MuteTexts {
  readonly occurrences?: number | undefined
  /** A date (its first moment), an ISO 8601 timestamp, or a span from now such as `7d`. */
  readonly until?: string | undefined
  /** Only `next` is allowed. */
  readonly untilRelease?: string | undefined
}

/**
 * Parses the end of a mute. A number of reports takes precedence over a deadline; without either the mute is permanent.
 * A release cannot be combined with other ends.
 */
export const readMute = ({
  occurrences,
  until,
  untilRelease,
}: MuteTexts): Effect.Effect<MuteRequest, ValidationError> => {
  if (untilRelease !== undefined) {
    return Effect.as(
      ValidationError.ensure({
        untilRelease:
          untilRelease !== nextRelease
            ? nextReleaseProblem
            : occurrences !== undefined || until !== undefined
              ? "can't be combined with another end of the mute"
              : null,
      }),
      MuteRequest.UntilNextRelease(),
    )
  }
  return occurrences === undefined
    ? Effect.map(readDeadline(until), (until) =>
        until === null ? MuteRequest.Permanent() : MuteRequest.Until({ until }),
      )
    : Effect.succeed(MuteRequest.ForReports({ occurrences }))
}

/** The error message for a release other than `next`. */
export const nextReleaseProblem = `must be ${nextRelease}`

/** Parses a deadline, or returns null if it is absent. Does not check that it is in the future. */
export const readDeadline = (
  text: string | undefined,
): Effect.Effect<DateTime.Utc | null, ValidationError> => {
  if (text === undefined) return Effect.succeed(null)
  const until = parseTimeBound(text, "start")
  if (until === null) return ValidationError.of("until", notTimeBound)
  return Effect.map(DateTime.now, (now) =>
    DateTime.makeUnsafe(momentOf(until, "future", now.epochMilliseconds)),
  )
}

/** Rejects deadlines in the past and invalid numbers of reports. */
export const checkMute = (request: MuteRequest, now: DateTime.Utc): Effect.Effect<void, ValidationError> =>
  ValidationError.ensure({
    until:
      request._tag === "Until"
        ? deadlineProblem(request.until.epochMilliseconds, now.epochMilliseconds)
        : null,
    occurrences:
      request._tag === "ForReports" && !isOccurrences(request.occurrences) ? occurrencesProblem : null,
  })

/** The error message for an invalid number of reports. */
export const occurrencesProblem = `must be a positive integer, at most ${maxOccurrences}`

/** Validates the number of reports after which a mute ends. */
export const isOccurrences = (occurrences: number): boolean =>
  Number.isInteger(occurrences) && occurrences >= 1 && occurrences <= maxOccurrences
