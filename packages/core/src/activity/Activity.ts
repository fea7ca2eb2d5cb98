import { Context, DateTime, Effect, Layer } from "effect"
import type { AuthorizedProject } from "../access/AccessPolicy.js"
import type { GroupId } from "../id/GroupId.js"
import { momentOf, notTimeBound, parseTimeBound } from "../search/DateBound.js"
import { isMoment } from "../validation/Moment.js"
import { ValidationError } from "../validation/ValidationError.js"
import { maxGroups, maxSteps } from "./ActivityBounds.js"
import {
  type ActivityRange,
  type ActivitySeries,
  ActivityStore,
  stepMinutes,
  stepsOf,
} from "./ActivityStore.js"

/** Dates, ISO 8601 timestamps, or spans back from now. */
export interface ActivityTexts {
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly step: "hour" | "day"
}

/** Report counts in a range, one series per requested group. */
export interface ActivityAnswer extends ActivityRange {
  readonly series: ReadonlyArray<ActivitySeries>
  /** All that was recorded by then is counted. */
  readonly completeUntil: DateTime.Utc
}

/** Reads report counts over time. */
export class Activity extends Context.Service<Activity>()("@errata/core/activity/Activity", {
  make: Effect.gen(function* () {
    const store = yield* ActivityStore

    /** The series of groups, or of the project for null. The range is widened to whole steps. */
    const series = Effect.fn("Activity.series")(function* (
      { project }: AuthorizedProject<"groups.read">,
      texts: ActivityTexts,
      groupIds: ReadonlyArray<GroupId> | null,
    ) {
      const completeUntil = yield* DateTime.now
      const ids = groupIds === null ? null : [...new Set(groupIds)]
      if (ids !== null && (ids.length === 0 || ids.length > maxGroups)) {
        return yield* ValidationError.of("groupIds", `must have 1 to ${maxGroups} ids`)
      }
      const range = yield* readRange(texts, completeUntil.epochMilliseconds)
      return {
        ...range,
        series: yield* store.series(project.id, ids, range),
        completeUntil,
      } satisfies ActivityAnswer
    })

    return { series }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

const minute = 60_000

const defaultSince = { hour: "24h", day: "30d" } as const

const readRange = (
  { since, step, until }: ActivityTexts,
  now: number,
): Effect.Effect<ActivityRange, ValidationError> => {
  const [from, to] = [
    read(since ?? defaultSince[step], "start", now),
    until === undefined ? now : read(until, "end", now),
  ]
  if (from === null || to === null) return ValidationError.of("range", notTimeBound)
  const span = stepMinutes[step]
  const range = {
    since: Math.floor(from / minute / span) * span,
    until: Math.ceil(to / minute / span) * span,
    step,
  }
  if (range.until <= range.since) return ValidationError.of("range", "must end after its start")
  return stepsOf(range) > maxSteps
    ? ValidationError.of("range", `must have at most ${maxSteps} steps of one ${step}`)
    : Effect.succeed(range)
}

const read = (text: string, edge: "start" | "end", now: number): number | null => {
  const bound = parseTimeBound(text, edge)
  if (bound === null) return null
  const moment = momentOf(bound, "past", now)
  return isMoment(moment) ? moment : null
}
