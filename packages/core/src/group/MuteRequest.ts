import { Data, DateTime, Effect } from "effect"
import { momentOf, notTimeBound, parseTimeBound } from "../search/DateBound.js"
import { deadlineProblem } from "../validation/Moment.js"
import { ValidationError } from "../validation/ValidationError.js"
import { nextRelease } from "./Group.js"

/** The end of a mute in a request: none, a moment, a number of further reports, or the next release. */
export type MuteRequest = Data.TaggedEnum<{
  Permanent: {}
  Until: { readonly until: DateTime.Utc }
  ForReports: { readonly occurrences: number }
  UntilNextRelease: {}
}>
export const MuteRequest = Data.taggedEnum<MuteRequest>()

/** Reports that a mute can be asked for. */
export const maxOccurrences = 1_000_000_000

/** The end of a mute as callers write it. Each may be left out. */
export interface MuteTexts {
  readonly occurrences?: number | undefined
  /** A date, which stands for its first moment, an ISO 8601 timestamp, or a span from now such as `7d`. */
  readonly until?: string | undefined
  /** `next`, which is the only release that a mute can last until. */
  readonly untilRelease?: string | undefined
}

/**
 * Reads what a mute is asked for with: a number of reports wins over a deadline, and without any it is for ever. A release
 * is an end of its own.
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
            ? notNextRelease
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

/** The message about a release that no mute can last until. */
export const notNextRelease = `must be ${nextRelease}`

/** Reads a deadline; null where there is none. Whether it lies in the future is for who acts upon it to see. */
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

/** Fails where a deadline has passed, or a number of reports is none. */
export const checkMute = (request: MuteRequest, now: DateTime.Utc): Effect.Effect<void, ValidationError> =>
  ValidationError.ensure({
    until:
      request._tag === "Until"
        ? deadlineProblem(request.until.epochMilliseconds, now.epochMilliseconds)
        : null,
    occurrences: request._tag === "ForReports" && !isOccurrences(request.occurrences) ? notOccurrences : null,
  })

/** The message about an invalid number of reports. */
export const notOccurrences = `must be a positive integer, at most ${maxOccurrences}`

/** Checks the number of reports after which a mute ends. */
export const isOccurrences = (occurrences: number): boolean =>
  Number.isInteger(occurrences) && occurrences >= 1 && occurrences <= maxOccurrences
