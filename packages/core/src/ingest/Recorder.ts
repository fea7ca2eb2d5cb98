/**
 * Records what was accepted: reports, groups and all that belongs to them in one transaction with a fixed number of
 * statements, however many payloads there are.
 *
 * What cannot be recorded is set aside with the reason, and its neighbours are recorded: a transaction that fails for
 * the data's sake is tried again in halves until the culprit stands alone.
 */
import { Cause, Data, DateTime, Duration, Effect, Schedule } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import type { GroupId } from "../group/Group.js"
import { type GroupPlace, GroupStore, type LockedGroup } from "../group/GroupStore.js"
import { yieldToEventLoop } from "../internal/EventLoop.js"
import { Utf8Slab } from "../internal/Utf8Slab.js"
import * as AutomatedNote from "../note/AutomatedNote.js"
import type { NewNote } from "../note/Note.js"
import { NoteStore } from "../note/NoteStore.js"
import { ProjectStore } from "../project/ProjectStore.js"
import { type NewAttachment, ReportStore } from "../report/ReportStore.js"
import { Storage } from "../storage/Storage.js"
import { StorageError } from "../storage/StorageError.js"
import { IngestStatistics } from "./IngestStatistics.js"
import { itemsOf, type LeasedPayload, partsOf } from "./LeasedPayload.js"
import { type Payload, PayloadDecoder } from "./PayloadDecoder.js"
import { type PendingBatch, PendingPayloads } from "./PendingPayloads.js"
import { Gathering, type Recording, type RefusedPayload, type Supplement } from "./Recording.js"
import { type Settlement, settle } from "./Settlement.js"

/** Turns leased batches of payloads into reports. */
export class Recorder extends Effect.Service<Recorder>()("@errata/core/ingest/Recorder", {
  effect: Effect.gen(function* () {
    const { recorder: settings } = yield* ErrataConfig
    const decoder = yield* PayloadDecoder
    const storage = yield* Storage
    const pending = yield* PendingPayloads
    const groups = yield* GroupStore
    const reports = yield* ReportStore
    const notes = yield* NoteStore
    const projects = yield* ProjectStore
    const statistics = yield* IngestStatistics

    // As many as there are batches recorded at one time.
    const slabs: Array<Utf8Slab> = []
    const slab = Effect.acquireRelease(
      Effect.sync(() => slabs.pop() ?? new Utf8Slab()),
      (slab) =>
        Effect.sync(() => {
          slab.clear()
          slabs.push(slab)
        }),
    )

    const gather = Effect.fnUntraced(function* (payloads: ReadonlyArray<Payload>) {
      const gathering = new Gathering(decoder, yield* slab)
      for (const [i, payload] of payloads.entries()) {
        gathering.add(payload)
        // Requests are not to wait for a whole batch.
        if (i % payloadsPerTurn === payloadsPerTurn - 1) yield* yieldToEventLoop
      }
      return gathering as Recording
    })

    /** Writes reports and all that belongs to them into groups that are locked. */
    const writeReports = Effect.fnUntraced(function* (
      recording: Recording,
      locked: ReadonlyArray<LockedGroup>,
      now: DateTime.Utc,
    ) {
      const ids = yield* reports.insert(
        recording.reports.map(({ candidate, details, event, projectId, receivedAt, tags, title }) => {
          return { projectId, groupId: locked[candidate]!.group.id, event, tags, details, title, receivedAt }
        }),
        now,
      )
      const settlement = settle(recording, locked, ids, now)
      if (settlement.empty.length > 0) yield* groups.discard(settlement.empty)
      if (settlement.groups.length === 0) return noCounts
      yield* groups.save(settlement.groups)
      yield* groups.addTagCounts(settlement.tags)
      if (settlement.attachments.length > 0) yield* reports.addAttachments(settlement.attachments)
      const written = AutomatedNote.ofEvents(settlement.events, now)
      if (written.length > 0) yield* notes.append(written)
      return settlement
    })

    /**
     * Writes what belongs to reports that exist by now; answers the payloads whose reports do not. Feedback goes to
     * groups that are locked: where a report is elsewhere by now, the transaction has to be run again.
     */
    const writeSupplements = Effect.fnUntraced(function* (
      supplements: ReadonlyArray<Supplement>,
      isLocked: (groupId: GroupId) => boolean,
      now: DateTime.Utc,
    ) {
      const locations = yield* reports.locate(supplements)
      const attachments: Array<NewAttachment> = []
      const feedback: Array<NewNote> = []
      const early: Array<RefusedPayload> = []
      for (const [i, supplement] of supplements.entries()) {
        const location = locations[i] ?? null
        const { eventId, payload, projectId } = supplement
        if (location === null) {
          early.push({ payload, reason: `there is no report of event ${eventId}` })
          continue
        }
        for (const attachment of supplement.attachments) {
          attachments.push({ ...attachment, projectId, reportId: location.reportId })
        }
        if (supplement.feedback !== null) {
          if (!isLocked(location.groupId)) return yield* movedMeanwhile
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
      // All groups at once, whatever is written to them: a merge moves none of their reports and notes from then on.
      const others = yield* locateFeedback(supplements)
      const locked =
        candidates.length + others.length > 0 ? yield* groups.lockOrCreate(candidates, now, others) : []
      const { counts, truncated } =
        recording.reports.length > 0 ? yield* writeReports(recording, locked, now) : noCounts
      const lockedIds = new Set([...locked.map(({ group }) => group.id), ...others.map((o) => o.groupId)])
      const early =
        supplements.length > 0 ? yield* writeSupplements(supplements, (id) => lockedIds.has(id), now) : []
      // Last, because every batch of a project writes them: the shorter they are held, the better.
      if (counts.length > 0) yield* projects.addCounts(counts)
      if (truncated > 0) yield* statistics.add("truncated", truncated, now)
      if (discarded.length > 0) yield* projects.addDiscarded(discarded, now)
      return early
    })

    /**
     * Records payloads in one transaction, and in the same one takes them off the queue by `remove`. Feedback can
     * overtake its event: where `mayWait` says so of a payload it is left where it is, else it is set aside. Answers
     * the payloads left.
     */
    const recordTogether = (
      payloads: ReadonlyArray<Payload>,
      mayWait: (payload: Payload) => boolean,
      remove: (left: ReadonlySet<Payload>) => Effect.Effect<boolean, StorageError>,
    ) =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        const recording = yield* gather(payloads)
        const { left, refused } = yield* storage.transaction(
          Effect.gen(function* () {
            const early = yield* write(recording, now)
            const left = new Set(early.map(({ payload }) => payload).filter(mayWait))
            const refused = [...recording.undecodable, ...early.filter(({ payload }) => !left.has(payload))]
            if (refused.length > 0) yield* pending.setAside(refused, now)
            if (!(yield* remove(left))) return yield* new LeaseLost()
            return { left, refused }
          }),
        )
        yield* Effect.forEach(refused, logSetAside, { discard: true })
        return left
      }).pipe(Effect.scoped, Effect.retry({ while: isConflict, schedule: conflictSchedule }))

    const setAside = (item: LeasedPayload, reason: string) =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        const [id] = yield* storage.transaction(
          Effect.gen(function* () {
            const ids = yield* pending.setAside([{ payload: item.payload, reason }], now)
            return (yield* pending.remove(partsOf([item]))) ? ids : yield* new LeaseLost()
          }),
        )
        return id!
      })

    /** Records payloads, in halves where together they cannot be; answers those left in the queue. */
    const record = (
      items: ReadonlyArray<LeasedPayload>,
    ): Effect.Effect<ReadonlyArray<LeasedPayload>, StorageError | LeaseLost> => {
      const attempts = new Map(items.map((item) => [item.payload, item.batch.attempts]))
      return recordTogether(
        items.map((item) => item.payload),
        (payload) => attempts.get(payload)! < settings.maxAttempts,
        (left) => pending.remove(partsOf(items.filter((item) => !left.has(item.payload)))),
      ).pipe(
        Effect.map((left) => items.filter((item) => left.has(item.payload))),
        Effect.catchAllCause((cause) => {
          const failure = Cause.failureOption(cause)
          if (failure._tag === "Some" && isNoFaultOfTheData(failure.value)) return Effect.fail(failure.value)
          if (Cause.isInterrupted(cause)) return Effect.interrupt
          const [first] = items
          if (first === undefined) return Effect.succeed([])
          if (items.length === 1) {
            const { payload } = first
            const reason = reasonOf(cause)
            return Effect.as(Effect.andThen(setAside(first, reason), logSetAside({ payload, reason })), [])
          }
          const middle = items.length >> 1
          return Effect.zipWith(
            record(items.slice(0, middle)),
            record(items.slice(middle)),
            (first, second) => [...first, ...second],
          )
        }),
      )
    }

    /**
     * Records a payload that may have ended the process before. It is set aside first: should that happen again, the
     * next start finds the queue without it.
     */
    const recordSuspect = (item: LeasedPayload) =>
      Effect.gen(function* () {
        const id = yield* setAside(item, "recording it did not come to an end")
        yield* recordTogether(
          [item.payload],
          () => false,
          () => pending.dropSetAside(id),
        ).pipe(
          Effect.catchAllCause((cause) =>
            Cause.isInterrupted(cause)
              ? Effect.interrupt
              : logSetAside({ payload: item.payload, reason: reasonOf(cause) }),
          ),
        )
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
      const sound = batches.filter((batch) => batch.attempts <= settings.maxAttempts)
      // One batch that was lost must not leave the others waiting until their lease has run out.
      const left =
        sound.length > 0
          ? yield* Effect.catchTag(record(itemsOf(sound)), "LeaseLost", () => recordApart(sound))
          : []
      for (const batch of new Set(left.map((item) => item.batch))) {
        yield* pending.postpone([batch.id], patience(batch.attempts))
      }
      const suspects = itemsOf(batches.filter((batch) => batch.attempts > settings.maxAttempts))
      yield* Effect.forEach(suspects, (item) => unlessLost(recordSuspect(item), undefined), { discard: true })
    })

    return { recordBatches }
  }),
}) {}

// internal

const payloadsPerTurn = 16

/** What a recording counts that holds nothing new. */
const noCounts: Pick<Settlement, "counts" | "truncated"> = { counts: [], truncated: 0 }

/** A merge, or another recorder, was faster than the locks. */
const movedMeanwhile = Effect.suspend(
  () =>
    new StorageError({
      operation: "Recorder.writeSupplements",
      reason: "conflict",
      cause: new Error("a report that feedback is on changed its group"),
    }),
)

/** Another worker has recorded these payloads since the lease ran out; this attempt must leave no trace. */
class LeaseLost extends Data.TaggedError("LeaseLost") {}

/** How long feedback waits for its event after this many attempts: 1, 8, 64 seconds. */
const patience = (attempts: number): Duration.Duration => Duration.seconds(8 ** (attempts - 1))

const isNoFaultOfTheData = (error: StorageError | LeaseLost): boolean =>
  error._tag === "LeaseLost" || error.reason !== "rejected"

const unlessLost = <A>(effect: Effect.Effect<A, StorageError | LeaseLost>, otherwise: A) =>
  Effect.catchTag(effect, "LeaseLost", () =>
    Effect.as(Effect.logDebug("Another worker recorded this batch"), otherwise),
  )

const isConflict = (error: StorageError | LeaseLost): boolean =>
  error._tag === "StorageError" && error.reason === "conflict"

const conflictSchedule = Schedule.exponential("5 millis").pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(8)),
)

const maxReasonLength = 1000

/** What an operator reads. The driver's message may quote the payload, which is theirs to see. */
const reasonOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const root = error instanceof StorageError && error.cause instanceof Error ? error.cause : error
  return (root instanceof Error ? root.message : String(root)).slice(0, maxReasonLength)
}

const logSetAside = ({ payload, reason }: RefusedPayload) =>
  Effect.logWarning("A payload was set aside").pipe(
    Effect.annotateLogs({ projectId: payload.projectId, eventId: payload.eventId, reason }),
  )
