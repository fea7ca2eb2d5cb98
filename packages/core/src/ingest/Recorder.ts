/**
 * Records what was accepted: reports, groups and all that belongs to them in one transaction with a fixed number of
 * statements, however many payloads there are.
 *
 * Payloads that cannot be decoded become dead letters, with the reason. A transaction that fails because of its data is
 * retried in halves until one payload remains. That payload is retried alone, later and later, before it becomes a dead
 * letter.
 */
import { Cause, Context, Data, DateTime, Duration, Effect, Layer, Schedule } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import type { GroupId } from "../group/Group.js"
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
    const announce = yield* Outbox.make
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
        // Requests are not to wait for a whole batch.
        if (i < payloads.length - 1) yield* yieldToEventLoop
      }
      return gathering as Recording
    })

    /** Of releases that the fate of groups depends on; none, nearly always. */
    const lookUp = Effect.fnUntraced(function* (sought: ReadonlyArray<ReleasePlace>) {
      if (sought.length === 0) return noReleases
      const seen = yield* releases.firstSeen(sought)
      return new Map(
        sought.map(({ projectId, version }, i) => [releaseKey(projectId, version), seen[i] ?? null]),
      )
    })

    /** Writes reports and all that belongs to them into groups that are locked. */
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
      yield* announce(settlement.events, now)
      return settlement
    })

    /**
     * Writes what belongs to reports that exist by now; answers what belongs to others. Feedback goes to groups whose
     * roots are locked: where a report has come since, the transaction has to be run again.
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

    /** The groups of the reports that feedback is on, where there are such reports yet. */
    const locateFeedback = Effect.fnUntraced(function* (supplements: ReadonlyArray<Supplement>) {
      const feedback = supplements.filter((supplement) => supplement.feedback !== null)
      if (feedback.length === 0) return []
      const locations = yield* reports.locate(feedback)
      return feedback.flatMap(({ projectId }, i): ReadonlyArray<GroupPlace> => {
        const location = locations[i] ?? null
        return location === null ? [] : [{ projectId, groupId: location.groupId }]
      })
    })

    /** Writes a recording but for its payloads; answers those that are too early. */
    const write = Effect.fnUntraced(function* (recording: Recording, now: DateTime.Utc) {
      const { candidates, discarded, supplements } = recording
      // All groups at once, whatever is written to them: no merge changes what they are a part of from then on.
      const others = yield* locateFeedback(supplements)
      const locked =
        candidates.length + others.length > 0 ? yield* groups.lockOrCreate(candidates, now, others) : []
      const { counts, truncated } =
        recording.reports.length > 0 ? yield* writeReports(recording, locked, now) : noCounts
      const early =
        supplements.length > 0 ? yield* writeSupplements(supplements, [...locked, ...others], now) : []
      // Last, because every batch of a project writes them: the shorter they are held, the better.
      if (counts.length > 0) yield* projects.addCounts(counts, now)
      if (truncated > 0) yield* statistics.add({ truncated }, now)
      if (discarded.length > 0) yield* projects.addDiscarded(discarded, now)
      return early
    })

    /**
     * Records payloads and takes them off the queue, in one transaction. Feedback and attachments can overtake their
     * event, and source maps may not be in memory yet: such payloads are left in the queue for a while. Answers those.
     */
    const recordTogether = Effect.fnUntraced(
      function* (items: ReadonlyArray<LeasedPayload>) {
        // Once, however often the transaction is tried.
        const recording = yield* gather(items)
        const began = performance.now()
        const { left, refused } = yield* Effect.retry(Transactions.once(storage, attempt(items, recording)), {
          while: isConflict,
          schedule: conflictSchedule,
        })
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

    /** Records feedback whose event did not come as reports of their own; answers what has nowhere to go. */
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

    /** Twice as long as it has waited: most events and source maps come soon, or not at all. */
    const postpone = Effect.fnUntraced(function* (left: ReadonlyArray<LeasedPayload>) {
      const now = (yield* DateTime.now).epochMilliseconds
      for (const batch of new Set(left.map((item) => item.batch))) {
        const receivedAt = left.filter((item) => item.batch === batch).map((item) => item.payload.receivedAt)
        const age = Duration.millis(Math.max(0, now - Math.max(...receivedAt)))
        yield* pending.postpone([batch], Duration.clamp(age, waitingTimes))
      }
    })

    /** Puts something in the place of leased payloads. */
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

    const addDeadLetter = (item: LeasedPayload, reason: string) =>
      Effect.gen(function* () {
        const refused = { payload: item.payload, place: item.place, reason }
        yield* replace([item], pending.addDeadLetters([refused], deadLetterBounds, yield* DateTime.now))
        counts.deadLettersTotal(1)
        yield* logDeadLetter(refused)
      })

    /** From now on they are tried one by one, so that one of them cannot harm the others. */
    const isolate = (items: ReadonlyArray<LeasedPayload>) => replace(items, pending.isolate(items))

    /**
     * Records payloads, in halves where together they cannot be; answers those left in the queue. Whatever cannot be
     * recorded although it can be decoded becomes a suspect: what seems to be its fault may be that of its time.
     */
    const record = (
      items: ReadonlyArray<LeasedPayload>,
    ): Effect.Effect<ReadonlyArray<LeasedPayload>, StorageError | LeaseLost> =>
      recordTogether(items).pipe(
        Effect.catchCause((cause) => {
          const failure = Cause.findErrorOption(cause)
          if (failure._tag === "Some" && isNoFaultOfTheData(failure.value)) return Effect.fail(failure.value)
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
     * Records a suspect by itself. If that fails, or the recorder does not end, the suspect is retried after longer and
     * longer waits. After the last retry it becomes a dead letter.
     */
    const recordSuspect = Effect.fn("Recorder.recordSuspect")(function* (suspect: PendingBatch) {
      const items = itemsOf([suspect])
      const [item] = items
      if (item === undefined) return
      if (suspect.attempts > settings.maxLoneAttempts) {
        return yield* unlessLost(addDeadLetter(item, "recording did not finish"), undefined)
      }
      const attempt = recordTogether(items).pipe(
        Effect.flatMap(postpone),
        Effect.catchCause((cause) => {
          const failure = Cause.findErrorOption(cause)
          if (failure._tag === "Some" && isNoFaultOfTheData(failure.value)) return Effect.fail(failure.value)
          if (Cause.hasInterrupts(cause)) return Effect.interrupt
          const reason = reasonOf(cause)
          return suspect.attempts === settings.maxLoneAttempts
            ? addDeadLetter(item, reason)
            : logSuspects(items, reason)
        }),
      )
      yield* unlessLost(attempt, undefined)
    })

    /** Each by itself: of those that another worker has recorded nothing is left to do. */
    const recordApart = (batches: ReadonlyArray<PendingBatch>) =>
      Effect.map(
        Effect.forEach(batches, (batch) => unlessLost(record(itemsOf([batch])), [])),
        (left) => left.flat(),
      )

    /** Records leased batches to their end. Fails only where the storage does; then they may be leased again. */
    const recordBatches = Effect.fn("Recorder.recordBatches")(function* (
      batches: ReadonlyArray<PendingBatch>,
    ) {
      const sound: Array<PendingBatch> = []
      const overdue: Array<PendingBatch> = []
      for (const batch of batches) (batch.attempts > settings.maxAttempts ? overdue : sound).push(batch)
      // First: whatever ended the recorder before may do so again.
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
      // One batch that was lost must not leave the others waiting until their lease has run out.
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

const projectIdOf = ({ payload }: StoredPayload): ProjectId => payload.projectId

/** The reports of a recording in the groups that are locked for its candidates. */
const newReports = (
  reports: ReadonlyArray<ReportToRecord>,
  locked: ReadonlyArray<LockedGroup>,
): ReadonlyArray<NewReport> => {
  const all: Array<NewReport> = []
  for (const { candidate, event, place, projectId, receivedAt, resolution, tags, title } of reports) {
    const { groupId } = locked[candidate]!
    all.push({ projectId, groupId, event, place, tags, title, resolution, receivedAt })
  }
  return all
}

const noUsers: ReadonlyMap<GroupId, number> = new Map()

const noReleases: ReleasesSeen = new Map()

/** What a recording counts that holds nothing new. */
const noCounts: Pick<Settlement, "counts" | "truncated"> = { counts: [], truncated: 0 }

/** Another recorder was faster than the locks. */
const recordedMeanwhile = Effect.suspend(
  () =>
    new StorageError({
      operation: "Recorder.writeSupplements",
      reason: "conflict",
      cause: new Error("the report of the feedback was recorded meanwhile"),
    }),
)

/** Another worker has recorded these payloads since the lease ran out; this attempt must leave no trace. */
class LeaseLost extends Data.TaggedError("LeaseLost") {}

/** The time until what waits for its event is tried again. */
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

/** What an operator reads. The driver's message may quote the payload, which is theirs to see. */
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
