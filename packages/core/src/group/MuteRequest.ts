import { Data, type DateTime, type Effect } from "effect"
import { deadlineProblem } from "../validation/Moment.js"
import { ValidationError } from "../validation/ValidationError.js"

/** What a caller asks for: for ever, until a moment, or for a number of further reports. */
export type MuteRequest = Data.TaggedEnum<{
  Permanent: {}
  Until: { readonly until: DateTime.Utc }
  ForReports: { readonly occurrences: number }
}>
export const MuteRequest = Data.taggedEnum<MuteRequest>()

/** Reports that a mute can be asked for. */
export const maxOccurrences = 1_000_000_000

/** Fails where a deadline has passed, or a number of reports is none. */
export const checkMute = (request: MuteRequest, now: DateTime.Utc): Effect.Effect<void, ValidationError> =>
  ValidationError.check({
    until: request._tag === "Until" ? deadlineProblem(request.until.epochMillis, now.epochMillis) : null,
    occurrences: request._tag === "ForReports" && !isOccurrences(request.occurrences) ? notOccurrences : null,
  })

export const notOccurrences = `must be a positive integer, at most ${maxOccurrences}`

export const isOccurrences = (occurrences: number): boolean =>
  Number.isInteger(occurrences) && occurrences >= 1 && occurrences <= maxOccurrences
