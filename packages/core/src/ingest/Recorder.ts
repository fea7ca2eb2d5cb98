/**
 * Records what was accepted: reports, groups and all that belongs to them in one transaction with a fixed number of
 * statements, however many payloads there are.
 *
 * What cannot be recorded is set aside with the reason, and its neighbours are recorded: a transaction that fails for
 * the data's sake is tried again in halves until the culprit stands alone.
 */
import { Cause, Data, DateTime, Effect, Schedule } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import { GroupStore } from "../group/GroupStore.js"
import * as AutomatedNote from "../note/AutomatedNote.js"
import type { NewNote } from "../note/Note.js"
import { NoteStore } from "../note/NoteStore.js"
import { ProjectStore } from "../project/ProjectStore.js"
import { type NewAttachment, ReportStore } from "../report/ReportStore.js"
import { Storage } from "../storage/Storage.js"
import { StorageError } from "../storage/StorageError.js"
import { type Payload, PayloadDecoder } from "./PayloadDecoder.js"
import { type BatchPart, type PendingBatch, PendingPayloads } from "./PendingPayloads.js"
import * as Recording from "./Recording.js"

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

    const writeReports = Effect.fnUntraced(function* (recording: Recording.Recording, now: DateTime.Utc) {
      const locked = yield* groups.lockOrCreate(recording.candidates, now)
      const ids = yield* reports.insert(
        recording.reports.map((report) => ({
          projectId: report.projectId,
          groupId: locked[report.candidate]!.group.id,
          event: report.event,
          details: report.details,
          title: report.title,
          receivedAt: report.receivedAt,
        })),
        now,
      )
      const settlement = Recording.settle(recording, locked, ids, now)
      if (settlement.empty.length > 0) yield* groups.discard(settlement.empty)
      if (settlement.groups.length === 0) return
      yield* groups.save(settlement.groups)
      yield* groups.addTagCounts(settlement.tags)
      if (settlement.attachments.length > 0) yield* reports.addAttachments(settlement.attachments)
      const written = AutomatedNote.ofEvents(settlement.events, now)
      if (written.length > 0) yield* notes.append(written)
      // Last, because every batch of a project writes them: the shorter they are held, the better.
      yield* projects.addCounts(settlement.counts)
    })

    const writeSupplements = Effect.fnUntraced(function* (
      supplements: ReadonlyArray<Recording.Supplement>,
      now: DateTime.Utc,
    ) {
      const locations = yield* reports.locate(supplements)
      const attachments: Array<NewAttachment> = []
      const feedback: Array<NewNote> = []
      for (const [i, supplement] of supplements.entries()) {
        const location = locations[i] ?? null
        if (location === null) return yield* new UnknownEvent({ eventId: supplement.eventId })
        const { projectId } = supplement
        for (const attachment of supplement.attachments) {
          attachments.push({ ...attachment, projectId, reportId: location.reportId })
        }
        if (supplement.feedback !== null) {
          feedback.push(
            AutomatedNote.ofFeedback(location.groupId, { ...supplement.feedback, projectId }, now),
          )
        }
      }
      if (attachments.length > 0) yield* reports.addAttachments(attachments)
      if (feedback.length > 0) yield* notes.append(feedback)
    })

    /** Records payloads and removes them from the queue in one transaction; `remove` does the removing. */
    const recordTogether = (payloads: ReadonlyArray<Payload>, remove: Effect.Effect<boolean, StorageError>) =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        const recording = Recording.gather(decoder, payloads)
        const { undecodable } = recording
        yield* storage.transaction(
          Effect.gen(function* () {
            if (recording.reports.length > 0) yield* writeReports(recording, now)
            if (recording.supplements.length > 0) yield* writeSupplements(recording.supplements, now)
            if (recording.discarded.length > 0) yield* projects.addDiscarded(recording.discarded, now)
            if (undecodable.length > 0) yield* pending.setAside(undecodable, now)
            if (!(yield* remove)) return yield* new LeaseLost()
          }),
        )
        for (const { payload, reason } of undecodable) yield* logSetAside(payload, reason)
      }).pipe(Effect.retry({ while: isConflict, schedule: conflictSchedule }))

    const setAside = (item: LeasedPayload, reason: string) =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        yield* storage.transaction(
          Effect.gen(function* () {
            yield* pending.setAside([{ payload: item.payload, reason }], now)
            if (!(yield* pending.remove(partsOf([item])))) return yield* new LeaseLost()
          }),
        )
        yield* logSetAside(item.payload, reason)
      })

    /** Records payloads, in halves where together they cannot be. */
    const record = (items: ReadonlyArray<LeasedPayload>): Effect.Effect<void, StorageError | LeaseLost> =>
      recordTogether(payloadsOf(items), pending.remove(partsOf(items))).pipe(
        Effect.catchAllCause((cause) => {
          const failure = Cause.failureOption(cause)
          if (failure._tag === "Some" && passes(failure.value)) return Effect.fail(failure.value)
          if (Cause.isInterrupted(cause)) return Effect.interrupt
          const [first] = items
          if (first === undefined) return Effect.void
          if (items.length === 1) return setAside(first, reasonOf(cause))
          const middle = items.length >> 1
          return Effect.zipRight(record(items.slice(0, middle)), record(items.slice(middle)))
        }),
      )

    /**
     * Records a payload that may have ended the process before. It is set aside first: should that happen again, the
     * next start finds the queue without it.
     */
    const recordSuspect = (item: LeasedPayload) =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        const id = yield* storage.transaction(
          Effect.gen(function* () {
            const reason = "recording it did not come to an end"
            const [id] = yield* pending.setAside([{ payload: item.payload, reason }], now)
            if (!(yield* pending.remove(partsOf([item])))) return yield* new LeaseLost()
            return id!
          }),
        )
        yield* recordTogether([item.payload], pending.dropSetAside(id)).pipe(
          Effect.catchAllCause((cause) =>
            Cause.isInterrupted(cause) ? Effect.interrupt : logSetAside(item.payload, reasonOf(cause)),
          ),
        )
      })

    const recordBatch = (batch: PendingBatch) => unlessLost(record(itemsOf([batch])))

    /** Records leased batches to their end. Fails only where the storage does; then they may be leased again. */
    const recordBatches = Effect.fn("Recorder.recordBatches")(function* (
      batches: ReadonlyArray<PendingBatch>,
    ) {
      const suspects = batches.filter((batch) => batch.attempts > settings.maxAttempts)
      const sound = batches.filter((batch) => batch.attempts <= settings.maxAttempts)
      const items = itemsOf(sound)
      if (items.length > 0) {
        yield* record(items).pipe(
          // A batch that was lost must not leave the others waiting until their lease has run out.
          Effect.catchTag("LeaseLost", () => Effect.forEach(sound, recordBatch, { discard: true })),
        )
      }
      yield* Effect.forEach(itemsOf(suspects), (item) => unlessLost(recordSuspect(item)), { discard: true })
    })

    return { recordBatches }
  }),
}) {}

// internal

/** Another worker has recorded these payloads since the lease ran out; this attempt must leave no trace. */
class LeaseLost extends Data.TaggedError("LeaseLost") {}

/** Feedback or attachments for an event that is not known. */
class UnknownEvent extends Data.TaggedError("UnknownEvent")<{ readonly eventId: string }> {
  override get message() {
    return `there is no report of event ${this.eventId}`
  }
}

interface LeasedPayload {
  readonly batch: PendingBatch
  readonly position: number
  readonly payload: Payload
}

/** Payloads that another worker has recorded meanwhile are done. */
const unlessLost = <E>(
  effect: Effect.Effect<void, E | LeaseLost>,
): Effect.Effect<void, Exclude<E, LeaseLost>> =>
  Effect.catchIf(
    effect,
    (error): error is LeaseLost => error instanceof LeaseLost,
    () => Effect.logDebug("Another worker recorded this batch"),
  ) as Effect.Effect<void, Exclude<E, LeaseLost>>

const itemsOf = (batches: ReadonlyArray<PendingBatch>): ReadonlyArray<LeasedPayload> =>
  batches.flatMap((batch) => batch.payloads.map(({ position, payload }) => ({ batch, position, payload })))

const payloadsOf = (items: ReadonlyArray<LeasedPayload>) => items.map((item) => item.payload)

const partsOf = (items: ReadonlyArray<LeasedPayload>): ReadonlyArray<BatchPart> => {
  const positions = new Map<PendingBatch, Array<number>>()
  for (const { batch, position } of items) {
    const known = positions.get(batch)
    if (known === undefined) positions.set(batch, [position])
    else known.push(position)
  }
  return Array.from(positions, ([batch, some]) => ({
    batchId: batch.id,
    positions: some,
    whole: some.length === batch.payloads.length,
  }))
}

/** Failures that are not the payloads' fault. */
const passes = (error: StorageError | LeaseLost | UnknownEvent): error is StorageError | LeaseLost =>
  error._tag === "LeaseLost" || (error._tag === "StorageError" && error.reason !== "rejected")

const isConflict = (error: StorageError | LeaseLost | UnknownEvent): boolean =>
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

const logSetAside = (payload: Payload, reason: string) =>
  Effect.logWarning("A payload was set aside").pipe(
    Effect.annotateLogs({ projectId: payload.projectId, eventId: payload.eventId, reason }),
  )
