/**
 * Maps the frames of a recorded report. The report keeps its group, because links, counts and notes refer to it. The key of
 * its mapped frames leads to that group from then on.
 */
import { Data, DateTime, Duration, Effect, Option } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import type { ErrorEvent } from "../event/ErrorEvent.js"
import { titleOf } from "../event/EventTitle.js"
import type { GroupId } from "../group/Group.js"
import { GroupStore } from "../group/GroupStore.js"
import * as GroupingV2 from "../grouping/GroupingV2.js"
import * as AutomatedNote from "../note/AutomatedNote.js"
import { NoteStore } from "../note/NoteStore.js"
import { PayloadDecoder } from "../payload/PayloadDecoder.js"
import type { ProjectId } from "../project/Project.js"
import * as ReportEvent from "../report/ReportEvent.js"
import { FrameMapper } from "../sourcemap/FrameMapper.js"
import type { SourcemapResolution } from "../sourcemap/SourcemapResolution.js"
import * as Transactions from "../storage/Transactions.js"
import { type LeasedReport, SourcemapReportStore } from "./SourcemapReportStore.js"

/** Maps a leased report. Returns true if it was postponed, because a storage that it needs is unavailable. */
export const make = Effect.gen(function* () {
  const { sourcemaps: settings } = yield* ErrataConfig
  const transaction = yield* Transactions.make
  const store = yield* SourcemapReportStore
  const mapper = yield* FrameMapper
  const decoder = yield* PayloadDecoder
  const groups = yield* GroupStore
  const notes = yield* NoteStore

  const rootOf = (projectId: ProjectId, groupId: GroupId) =>
    Effect.map(
      groups.find(projectId, groupId),
      Option.match({ onNone: () => null, onSome: ({ id, mergedIntoId }) => mergedIntoId ?? id }),
    )

  /** Merged groups need no note. */
  const noteTwins = Effect.fnUntraced(function* (
    projectId: ProjectId,
    own: GroupId,
    other: GroupId,
    now: DateTime.Utc,
  ) {
    yield* groups.lockOrCreate([], now, [
      { projectId, groupId: own },
      { projectId, groupId: other },
    ])
    const roots = [yield* rootOf(projectId, own), yield* rootOf(projectId, other)] as const
    if (roots[0] === null || roots[1] === null || roots[0] === roots[1]) return
    yield* notes.append([
      AutomatedNote.ofTwin({ projectId, groupId: own, otherId: roots[1] }, now),
      AutomatedNote.ofTwin({ projectId, groupId: other, otherId: roots[0] }, now),
    ])
  })

  const settle = (
    leased: LeasedReport,
    resolution: SourcemapResolution,
    mapped: { readonly event: ErrorEvent; readonly groupId: GroupId } | null,
  ) =>
    transaction(
      Effect.gen(function* () {
        const now = yield* DateTime.now
        const { projectId } = leased
        // The first lock: recorders that use this key must not hold another one meanwhile.
        const holder =
          mapped === null
            ? null
            : yield* groups.addKey({ projectId, groupId: mapped.groupId }, GroupingV2.group(mapped.event))
        const culprit = mapped === null ? null : titleOf(mapped.event).culprit
        if (!(yield* store.settle(leased, { resolution, culprit }, now))) return yield* new LeaseLost()
        if (mapped !== null && holder?.isNewTwin === true) {
          yield* noteTwins(projectId, mapped.groupId, holder.groupId, now)
        }
      }),
    ).pipe(
      Effect.catchTag("LeaseLost", () => Effect.logDebug("Another node mapped the frames of this report")),
    )

  return Effect.fn("ReportMapping.attempt")(function* (leased: LeasedReport) {
    const source = yield* store.find(leased)
    const event =
      leased.leases > settings.maxLeases || Option.isNone(source)
        ? null
        : ReportEvent.find(decoder, source.value)
    if (event === null || Option.isNone(source)) {
      yield* settle(leased, failed, null)
      return false
    }
    const resolved = yield* mapper.map({ projectId: leased.projectId, event })
    const { frames } = resolved.resolution
    if (resolved.isIncomplete && leased.postponed < maxPostponed) {
      yield* store.postpone(leased, pauseAfter(leased.postponed))
      return true
    }
    const { groupId } = source.value
    yield* settle(leased, resolved.resolution, frames === null ? null : { event: resolved.event, groupId })
    return false
  })
})

// internal

class LeaseLost extends Data.TaggedError("LeaseLost") {}

/** About an hour with the pauses. Then the report has failed. */
const maxPostponed = 64

/** From five seconds up to a minute. */
const pauseAfter = (postponed: number): Duration.Duration =>
  Duration.min(Duration.seconds(5 * 2 ** postponed), Duration.minutes(1))

/** For attempts that never ended, and for reports whose event is gone. */
const failed: SourcemapResolution = {
  status: "failed",
  failureCode: "internal",
  frames: null,
  wantedIds: [],
}
