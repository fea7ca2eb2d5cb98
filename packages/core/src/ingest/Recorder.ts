/**
 * Records accepted payloads: reports, groups and related rows in one transaction, with a fixed number of statements
 * for any number of payloads.
 *
 * Payloads that cannot be decoded become dead letters, with the reason. A transaction that fails because of its data
 * is retried in halves until one payload remains. That payload is retried alone, with growing pauses, before it
 * becomes a dead letter.
 */
import { Cause, Context, Data, DateTime, Duration, Effect, Layer, Option, Schedule } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import type { GroupId } from "../group/Group.js"
import type { GroupEvent } from "../group/GroupEvent.js"
import { type GroupPlace, GroupStore, type LockedGroup } from "../group/GroupStore.js"
import * as Outbox from "../group/Outbox.js"
import { yieldToEventLoop } from "../internal/EventLoop.js"
import * as Instruments from "../metric/Instruments.js"
import * as AutomatedNote from "../note/AutomatedNote.js"
import type { NewNote } from "../note/Note.js"
import { NoteStore } from "../note/NoteStore.js"
import { type Payload, PayloadDecoder, type StoredPayload } from "../payload/PayloadDecoder.js"
import type { ProjectId } from "../project/Project.js"
import { ProjectStore } from "../project/ProjectStore.js"
import { type ReleasePlace, ReleaseStore } from "../release/ReleaseStore.js"
import { type NewAttachment, type NewReport, newAttachments, ReportStore } from "../report/ReportStore.js"
import { FrameMapper } from "../sourcemap/FrameMapper.js"
import { unprocessed } from "../sourcemap/SourcemapResolution.js"
import { Storage } from "../storage/Storage.js"
import { StorageError } from "../storage/StorageError.js"
import * as Transactions from "../storage/Transactions.js"
import { IngestStatistics } from "./IngestStatistics.js"
import { itemsOf, type LeasedPayload, partsOf } from "./LeasedPayload.js"
import { type PendingBatch, PendingPayloads } from "./PendingPayloads.js"
import { usersOf } from "./RecordedUsers.js"
import {
  Gathering,
  type Recording,
  type RefusedPayload,
  type ReportToRecord,
  type Supplement,
} from "./Recording.js"
import { type ReleasesSeen, releaseKey, releasesToLookUp, type Settlement, settle } from "./Settlement.js"
import { suspectPauses } from "./SuspectRetries.js"

/** Turns leased batches of payloads into reports. */
export class Recorder extends Context.Service<Recorder>()("@errata/core/ingest/Recorder", {
  make: Effect.gen(function* () {
    const { recorder: settings, deadLetters: deadLetterBounds } = yield* ErrataConfig
    const decoder = yield* PayloadDecoder
    const storage = yield* Storage
    const pending = yield* PendingPayloads
    const groups = yield* GroupStore
    const reports = yield* ReportStore
    const notes = yield* NoteStore
    const writeOutbox = yield* Outbox.make
    const projects = yield* ProjectStore
    const releases = yield* ReleaseStore
    const statistics = yield* IngestStatistics
    const frames = yield* FrameMapper
    const counts = Instruments.recorder()

    const gather = Effect.fnUntraced(function* (payloads: ReadonlyArray<StoredPayload>) {
      const atOnce = yield* frames.begin(payloads.map(projectIdOf))
      const gathering = new Gathering(decoder, atOnce)
      for (const [i, stored] of payloads.entries()) {
        gathering.add(stored)
        if (i % payloadsPerTurn !== payloadsPerTurn - 1 && i < payloads.length - 1) continue
        const held = gathering.takeHeld()
        if (held.length > 0) gathering.addResolved(held, yield* frames.mapUploaded(held))
        // Requests must not wait for a whole batch.
        if (i < payloads.length - 1) yield* yieldToEventLoop
      }
      return gathering as Recording
    })

    /** Times at which releases were first seen. Few groups depend on them, so `sought` is nearly always empty. */
    const lookUp = Effect.fnUntraced(function* (sought: ReadonlyArray<ReleasePlace>) {
      if (sought.length === 0) return noReleases
      const seen = yield* releases.firstSeen(sought)
      return new Map(
        sought.map(({ projectId, version }, i) => [releaseKey(projectId, version), seen[i] ?? null]),
      )
    })

    /** Adds earlier discarded groups to the events of new groups. Only batches with new groups look for them. */
    const withDiscarded = Effect.fnUntraced(function* (events: ReadonlyArray<GroupEvent>) {
      const created = events.filter(({ _tag }) => _tag === "Created").map(({ group }) => group)
      if (created.length === 0) return events
      const found = yield* groups.lastDiscarded(created)
      const earlier = new Map(created.map(({ id }, i) => [id, found[i] ?? null]))
      return events.map((event) => {
        const discarded = event._tag === "Created" ? (earlier.get(event.group.id) ?? null) : null
        return discarded === null ? event : { ...event, discarded }
      })
    })

    /** Writes reports and related rows into locked groups. */
    const writeReports = Effect.fnUntraced(function* (
      recording: Recording,
      locked: ReadonlyArray<LockedGroup>,
      now: DateTime.Utc,
    ) {
      const ids = yield* reports.insert(newReports(recording.reports, locked), now)
      const users = usersOf(recording, locked, ids)
      const usersCounts = users.length > 0 ? yield* groups.addUsers(users) : noUsers
      const seen = yield* lookUp(releasesToLookUp(recording, locked, ids))
      const settlement = settle(recording, locked, ids, now, usersCounts, seen)
      if (settlement.empty.length > 0) yield* groups.discard(settlement.empty)
      if (settlement.groups.length === 0) return noCounts
      yield* groups.save(settlement.groups)
      if (settlement.parts.length > 0) yield* groups.addToParts(settlement.parts)
      yield* groups.addTagCounts(settlement.tags, settlement.activity)
      if (settlement.attachments.length > 0) yield* reports.addAttachments(settlement.attachments)
      yield* writeOutbox(yield* withDiscarded(settlement.events), now)
      return settlement
    })

    /**
     * Writes feedback and attachments of reports that exist, and returns the others. The roots of the groups with
     * feedback must be locked. Fails with a conflict if another report was recorded meanwhile; the transaction is
     * then retried.
     */
    const writeSupplements = Effect.fnUntraced(function* (
      supplements: ReadonlyArray<Supplement>,
      locked: ReadonlyArray<{ readonly groupId: GroupId }>,
      now: DateTime.Utc,
    ) {
      const lockedIds = new Set(locked.map(({ groupId }) => groupId))
      const locations = yield* reports.locate(supplements)
      const attachments: Array<NewAttachment> = []
      const feedback: Array<NewNote> = []
      const early: Array<Supplement> = []
      for (const [i, supplement] of supplements.entries()) {
        const location = locations[i] ?? null
        const { place, projectId } = supplement
        if (location === null) {
          early.push(supplement)
          continue
        }
        const { reportId } = location
        attachments.push(...newAttachments(supplement.attachments, { projectId, reportId, place }))
        if (supplement.feedback !== null) {
          if (!lockedIds.has(location.groupId)) return yield* recordedMeanwhile
          feedback.push(
            AutomatedNote.ofFeedback(location.groupId, { ...supplement.feedback, projectId }, now),
          )
        }
      }
      if (attachments.length > 0) yield* reports.addAttachments(attachments)
      if (feedback.length > 0) yield* notes.append(feedback)
      return early
    })

    /** The groups of the reports that feedback refers to, as far as the reports exist. */
    const locateFeedback = Effect.fnUntraced(function* (supplements: ReadonlyArray<Supplement>) {
      const feedback = supplements.filter((supplement) => supplement.feedback !== null)
      if (feedback.length === 0) return []
      const locations = yield* reports.locate(feedback)
      return feedback.flatMap(({ projectId }, i): ReadonlyArray<GroupPlace> => {
        const location = locations[i] ?? null
        return location === null ? [] : [{ projectId, groupId: location.groupId }]
      })
    })

    /** Writes a recording. Returns the supplements whose reports do not exist yet. */
    const write = Effect.fnUntraced(function* (recording: Recording, now: DateTime.Utc) {
      const { candidates, discarded, supplements } = recording
      // Locks all groups at once. From then on, no merge can change their roots.
      const others = yield* locateFeedback(supplements)
      const locked =
        candidates.length + others.length > 0 ? yield* groups.lockOrCreate(candidates, now, others) : []
      const { counts, truncated } =
        recording.reports.length > 0 ? yield* writeReports(recording, locked, now) : noCounts
      const early =
        supplements.length > 0 ? yield* writeSupplements(supplements, [...locked, ...others], now) : []
      // Written last: all batches of a project update these rows, so their locks must be short.
      if (counts.length > 0) yield* projects.addCounts(counts, now)
      if (truncated > 0) yield* Transactions.afterCommit(addTruncated(statistics, truncated, now))
      if (discarded.length > 0) yield* projects.addDiscarded(discarded, now)
      return early
    })

    /**
     * Records payloads and removes them from the queue in one transaction. Feedback and attachments can arrive before
     * their event, and source maps may not be parsed yet. Such payloads stay in the queue and are returned.
     */
    const recordTogether = Effect.fnUntraced(
      function* (items: ReadonlyArray<LeasedPayload>) {
        // Outside of the transaction, which may be retried.
        const recording = yield* gather(items)
        const began = performance.now()
        const { left, refused } = yield* Effect.retry(
          Transactions.once(storage, attempt(items, recording), items.map(projectIdOf)),
          { while: isConflict, schedule: conflictSchedule },
        )
        counts.recording((performance.now() - began) / 1000)
        counts.deadLettersTotal(refused.length)
        counts.payloadsRecorded(items.length - left.length - refused.length)
        yield* Effect.forEach(refused, logDeadLetter, { discard: true })
        return left
      },
      Effect.tapCause((cause) =>
        Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.sync(() => counts.recordingFailures(1)),
      ),
    )

    const attempt = Effect.fnUntraced(function* (items: ReadonlyArray<LeasedPayload>, recording: Recording) {
      const now = yield* DateTime.now
      const early = yield* write(recording, now)
      const waiting = new Set(recording.postponed)
      for (const { payload } of early) if (mayWait(payload, now)) waiting.add(payload)
      const overdue = early.filter(({ payload }) => !waiting.has(payload))
      const refused = [...recording.undecodable, ...(yield* writeLonely(overdue, now))]
      if (refused.length > 0) yield* pending.addDeadLetters(refused, deadLetterBounds, now)
      const done: Array<LeasedPayload> = []
      const left: Array<LeasedPayload> = []
      for (const item of items) (waiting.has(item.payload) ? left : done).push(item)
      if (!(yield* pending.remove(partsOf(done)))) return yield* new LeaseLost()
      return { left, refused }
    })

    /** Records feedback whose event did not arrive as reports. Returns the rest, which become dead letters. */
    const writeLonely = Effect.fnUntraced(function* (
      supplements: ReadonlyArray<Supplement>,
      now: DateTime.Utc,
    ) {
      const lonely = new Set(
        supplements.filter(({ feedback }) => feedback?.ownEvent !== undefined).map(({ payload }) => payload),
      )
      if (lonely.size > 0) {
        const gathering = new Gathering(decoder, () => unprocessed)
        gathering.addLonely(supplements)
        yield* write(gathering, now)
      }
      return supplements
        .filter(({ payload }) => !lonely.has(payload))
        .map(({ eventId, payload, place }): RefusedPayload => {
          return { payload, place, reason: `no report exists for event ${eventId}` }
        })
    })

    const mayWait = ({ receivedAt }: Payload, now: DateTime.Utc) =>
      now.epochMilliseconds - receivedAt < Duration.toMillis(settings.eventPatience)

    /** Waits as long again as the payloads have waited: most events and source maps arrive soon or never. */
    const postpone = Effect.fnUntraced(function* (left: ReadonlyArray<LeasedPayload>) {
      const now = (yield* DateTime.now).epochMilliseconds
      for (const batch of new Set(left.map((item) => item.batch))) {
        const receivedAt = left.filter((item) => item.batch === batch).map((item) => item.payload.receivedAt)
        const age = Duration.millis(Math.max(0, now - Math.max(...receivedAt)))
        yield* pending.postpone([batch], Duration.clamp(age, waitingTimes))
      }
    })

    /** Replaces leased payloads in one transaction. */
    const replace = (
      items: ReadonlyArray<LeasedPayload>,
      by: Effect.Effect<unknown, StorageError>,
    ): Effect.Effect<void, StorageError | LeaseLost> =>
      storage.transaction(
        Effect.gen(function* () {
          yield* by
          if (!(yield* pending.remove(partsOf(items)))) return yield* new LeaseLost()
        }),
      )

    const addDeadLetter = Effect.fnUntraced(function* (item: LeasedPayload, reason: string) {
      const refused = { payload: item.payload, place: item.place, reason }
      yield* replace([item], pending.addDeadLetters([refused], deadLetterBounds, yield* DateTime.now))
      counts.deadLettersTotal(1)
      yield* logDeadLetter(refused)
    })

    /** Has each payload retried alone, so that a bad one cannot affect the others. */
    const isolate = (items: ReadonlyArray<LeasedPayload>) => replace(items, pending.isolate(items))

    /**
     * Records payloads, and retries in halves if that fails. Returns those left in the queue. A single payload that
     * fails becomes a suspect, because the cause may be temporary.
     */
    const record = (
      items: ReadonlyArray<LeasedPayload>,
    ): Effect.Effect<ReadonlyArray<LeasedPayload>, StorageError | LeaseLost> =>
      recordTogether(items).pipe(
        Effect.catchCause((cause) => {
          const failure = Cause.findErrorOption(cause)
          if (Option.isSome(failure) && isNoFaultOfTheData(failure.value)) return Effect.fail(failure.value)
          if (Cause.hasInterrupts(cause)) return Effect.interrupt
          if (items.length <= 1) {
            return Effect.andThen(isolate(items), logSuspects(items, reasonOf(cause))).pipe(Effect.as([]))
          }
          const middle = items.length >> 1
          return Effect.zipWith(
            record(items.slice(0, middle)),
            record(items.slice(middle)),
            (first, second) => [...first, ...second],
          )
        }),
      )

    /**
     * Records a suspect alone. If that fails or does not finish, the suspect is retried with growing pauses. After
     * the last retry it becomes a dead letter.
     */
    const recordSuspect = Effect.fn("Recorder.recordSuspect")(function* (suspect: PendingBatch) {
      const items = itemsOf([suspect])
      const [item] = items
      if (item === undefined) return
      if (suspect.attempts > suspectPauses.length) {
        return yield* unlessLost(addDeadLetter(item, "recording did not finish"), undefined)
      }
      const attempt = recordTogether(items).pipe(
        Effect.flatMap(postpone),
        Effect.catchCause((cause) => {
          const failure = Cause.findErrorOption(cause)
          if (Option.isSome(failure) && isNoFaultOfTheData(failure.value)) return Effect.fail(failure.value)
          if (Cause.hasInterrupts(cause)) return Effect.interrupt
          const reason = reasonOf(cause)
          return suspect.attempts === suspectPauses.length
            ? addDeadLetter(item, reason)
            : logSuspects(items, reason)
        }),
      )
      yield* unlessLost(attempt, undefined)
    })

    /** Records each batch on its own, and skips batches that another worker has recorded. */
    const recordApart = (batches: ReadonlyArray<PendingBatch>) =>
      Effect.map(
        Effect.forEach(batches, (batch) => unlessLost(record(itemsOf([batch])), [])),
        (left) => left.flat(),
      )

    /** Records leased batches. Fails only if the storage does; the batches can then be leased again. */
    const recordBatches = Effect.fn("Recorder.recordBatches")(function* (
      batches: ReadonlyArray<PendingBatch>,
    ) {
      const sound: Array<PendingBatch> = []
      const overdue: Array<PendingBatch> = []
      for (const batch of batches) (batch.attempts > settings.maxAttempts ? overdue : sound).push(batch)
      // First, because they may crash the recorder again.
      yield* Effect.forEach(
        overdue,
        (batch) => {
          const items = itemsOf([batch])
          const isolated = Effect.andThen(isolate(items), logSuspects(items, "recording did not finish"))
          return unlessLost(isolated, undefined)
        },
        { discard: true },
      )
      if (sound.length === 0) return
      // A batch that another worker recorded must not block the others until their leases expire.
      const left = yield* Effect.catchTag(record(itemsOf(sound)), "LeaseLost", () => recordApart(sound))
      yield* postpone(left)
    })

    return { recordBatches, recordSuspect }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

const payloadsPerTurn = 16

/** Runs after the commit, because this count is not data of the projects. A crash can lose it. */
const addTruncated = (statistics: IngestStatistics["Service"], truncated: number, now: DateTime.Utc) =>
  Effect.catch(statistics.add({ truncated }, now), (error) =>
    Effect.logWarning("Counting truncated events failed", Cause.fail(error)),
  )

const projectIdOf = ({ payload }: StoredPayload): ProjectId => payload.projectId

/** The reports of a recording, with the locked groups of their candidates. */
const newReports = (
  reports: ReadonlyArray<ReportToRecord>,
  locked: ReadonlyArray<LockedGroup>,
): ReadonlyArray<NewReport> => {
  const all: Array<NewReport> = []
  for (const { candidate, event, place, projectId, receivedAt, resolution, tags, title } of reports) {
    const { group, groupId } = locked[candidate]!
    // The title of a merged group is not at hand: only the root is locked.
    const groupTitle = group.id === groupId ? group : null
    all.push({ projectId, groupId, event, place, tags, title, groupTitle, resolution, receivedAt })
  }
  return all
}

const noUsers: ReadonlyMap<GroupId, number> = new Map()

const noReleases: ReleasesSeen = new Map()

/** Counts of a recording without new reports. */
const noCounts: Pick<Settlement, "counts" | "truncated"> = { counts: [], truncated: 0 }

/** Another recorder wrote the report before the groups were locked. */
const recordedMeanwhile = Effect.suspend(
  () =>
    new StorageError({
      operation: "Recorder.writeSupplements",
      reason: "conflict",
      cause: new Error("the report of the feedback was recorded meanwhile"),
    }),
)

/** Another worker has recorded these payloads since the lease expired. This attempt must be rolled back. */
class LeaseLost extends Data.TaggedError("LeaseLost") {}

/** Bounds of the pause before postponed payloads are retried. */
const waitingTimes = { minimum: Duration.seconds(1), maximum: Duration.seconds(30) }

const isNoFaultOfTheData = (error: StorageError | LeaseLost): boolean =>
  error._tag === "LeaseLost" || error.reason !== "rejected"

const unlessLost = <A>(effect: Effect.Effect<A, StorageError | LeaseLost>, otherwise: A) =>
  Effect.catchTag(effect, "LeaseLost", () =>
    Effect.as(Effect.logDebug("Another worker recorded this batch"), otherwise),
  )

const isConflict = (error: StorageError | LeaseLost): boolean =>
  error._tag === "StorageError" && error.reason === "conflict"

const conflictSchedule = Schedule.max([
  Schedule.jittered(Schedule.exponential("5 millis")),
  Schedule.recurs(8),
])

const maxReasonLength = 1000

/** The reason for operators. A driver's message may quote the payload, which operators may see. */
const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const root = error instanceof StorageError && error.cause instanceof Error ? error.cause : error
  return (root instanceof Error ? root.message : String(root)).slice(0, maxReasonLength)
}

const logSuspects = (items: ReadonlyArray<LeasedPayload>, reason: string) =>
  Effect.logWarning("A batch could not be recorded. Its payloads are retried one by one").pipe(
    Effect.annotateLogs({ payloads: items.length, eventId: items[0]?.payload.eventId, reason }),
  )

const logDeadLetter = ({ payload, reason }: RefusedPayload) =>
  Effect.logWarning("A payload was moved to the dead letters").pipe(
    Effect.annotateLogs({ projectId: payload.projectId, eventId: payload.eventId, reason }),
  )
