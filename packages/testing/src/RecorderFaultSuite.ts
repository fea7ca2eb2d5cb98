/** Recording with faulty payloads, nodes and storages: nothing is lost or counted twice. */
import type { EventId } from "@errata/core"
import { Recorder } from "@errata/core/internal"
import { type PendingBatch, PendingPayloads, ReportStore } from "@errata/core/ports"
import { Array, Effect, Fiber, Option } from "effect"
import { expect } from "vitest"
import {
  advance,
  type ContractCase,
  type ContractSuite,
  contractCase,
  onRealClock,
  onSecondNode,
} from "./ContractCase.js"
import { passTime } from "./internal/Paging.js"
import {
  append,
  countsOf,
  deadLettersOf,
  eventIds,
  eventIdsOf,
  given,
  groupsOf,
  hangs,
  isQueueEmpty,
  onlyGroupOf,
  record,
  recordAll,
  recordSuspects,
  titlesOf,
  withRecorder,
} from "./internal/Pipeline.js"
import { lease, leaseSuspect, leaseWith, wide } from "./internal/Queue.js"

const recordBatches = (batches: Parameters<Recorder["Service"]["recordBatches"]>[0]) =>
  withRecorder(Effect.flatMap(Recorder, (recorder) => recorder.recordBatches(batches)))

const recordSuspect = (suspect: PendingBatch) =>
  withRecorder(Effect.flatMap(Recorder, (recorder) => recorder.recordSuspect(suspect)))

/** A payload that cannot be recorded, among valid ones. */
const poison = (fault: string, reason: string): ContractCase =>
  contractCase(
    `makes a dead letter of a payload that ${reason}, and records its neighbors`,
    Effect.gen(function* () {
      for (const position of [0, 3, 6]) {
        const { project, send } = yield* given
        const payloads = Array.makeBy(7, (i) =>
          send({ group: `g${i % 2}`, message: `m${i % 2}`, ...(i === position ? { fault } : {}) }),
        )
        yield* record(...payloads)
        yield* recordSuspects
        const sound = payloads.filter((_, i) => i !== position)
        const groups = yield* groupsOf(project.id)
        expect(titlesOf(groups)).toEqual(["m0", "m1"])
        const recorded = yield* Effect.forEach(groups, eventIdsOf)
        expect(recorded.flat().sort()).toEqual(eventIds(sound).sort())
        expect(groups.map(({ reportsCount }) => reportsCount)).toEqual(recorded.map((ids) => ids.length))
        const aside = yield* deadLettersOf(project.id)
        expect(aside.map(([eventId]) => eventId)).toEqual([payloads[position]!.eventId])
        expect(aside[0]![1]).not.toBe("")
        expect(yield* countsOf(project.id)).toEqual({ groups: 2, reports: 6 })
        expect(yield* isQueueEmpty).toBe(true)
      }
    }),
  )

export const recorderFaultSuite: ContractSuite = {
  name: "Recorder among faults",
  cases: [
    poison("undecodable", "cannot be decoded"),

    poison("throws", "breaks the decoder"),

    poison("rejected", "the storage refuses"),

    contractCase(
      "removes a batch from the queue if none of its payloads can be recorded",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const payloads = ["undecodable", "rejected", "throws", "rejected"].map((fault) => send({ fault }))
        yield* record(...payloads)
        yield* recordSuspects
        expect(yield* groupsOf(project.id)).toEqual([])
        const aside = yield* deadLettersOf(project.id)
        expect(aside.map(([eventId]) => eventId).sort()).toEqual(eventIds(payloads).sort())
        expect(yield* countsOf(project.id)).toEqual({ groups: 0, reports: 0 })
        expect(yield* isQueueEmpty).toBe(true)
      }),
    ),

    contractCase(
      "records a payload later that failed for a while",
      Effect.gen(function* () {
        const { project, send } = yield* given
        yield* record(send(), send({ fault: "rejected for a while" }))
        expect((yield* onlyGroupOf(project.id)).reportsCount).toBe(1)
        expect(yield* isQueueEmpty).toBe(false)
        yield* recordSuspects
        expect((yield* onlyGroupOf(project.id)).reportsCount).toBe(2)
        expect(yield* deadLettersOf(project.id)).toEqual([])
        expect(yield* isQueueEmpty).toBe(true)
      }),
    ),

    contractCase(
      "records a batch later if the storage was unavailable",
      Effect.gen(function* () {
        const { project, send } = yield* given
        yield* withRecorder(
          Effect.gen(function* () {
            yield* append(send(), send({ fault: "unavailable" }), send({ fault: "undecodable" }))
            const recorder = yield* Recorder
            const pending = yield* PendingPayloads
            const batches = yield* lease
            const error = yield* Effect.flip(recorder.recordBatches(batches))
            expect(error.reason).toBe("unavailable")
            expect(yield* groupsOf(project.id)).toEqual([])
            expect(yield* deadLettersOf(project.id)).toEqual([])
            yield* pending.release(batches)
            yield* recorder.recordBatches(yield* lease)
          }),
        )
        expect((yield* onlyGroupOf(project.id)).reportsCount).toBe(2)
        expect(yield* deadLettersOf(project.id)).toHaveLength(1)
        expect(yield* isQueueEmpty).toBe(true)
      }),
    ),

    contractCase(
      "retries after a conflict with another transaction",
      Effect.gen(function* () {
        const { project, send } = yield* given
        yield* record(send(), send({ fault: "conflict" }))
        expect((yield* onlyGroupOf(project.id)).reportsCount).toBe(2)
        expect(yield* countsOf(project.id)).toEqual({ groups: 1, reports: 2 })
        expect(yield* deadLettersOf(project.id)).toEqual([])
      }).pipe(onRealClock),
    ),

    contractCase(
      "stores nothing if another node has recorded the batch after the lease expired",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const event = send({ attachments: ["a.log"] })
        const feedback = { eventId: event.eventId, name: "Ada", email: "", comments: "It broke" }
        yield* append(event, send({ fault: "undecodable" }), send({ group: null, feedback: [feedback] }))
        const late = yield* lease
        yield* advance(wide.duration)
        yield* onSecondNode(recordAll)
        yield* recordBatches(late)
        const group = yield* onlyGroupOf(project.id)
        expect([group.reportsCount, group.notesCount]).toEqual([1, 1])
        expect(yield* deadLettersOf(project.id)).toHaveLength(1)
        expect(yield* countsOf(project.id)).toEqual({ groups: 1, reports: 1 })
        const reports = yield* ReportStore
        const report = yield* Effect.fromOption(
          yield* reports.findByEventId(project.id, event.eventId as EventId),
        )
        expect(report.attachments).toHaveLength(1)
      }),
    ),

    contractCase(
      "records every event once when two nodes work on one queue",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const payloads = Array.makeBy(120, (i) => send({ group: `g${i % 5}`, tags: { i: String(i % 4) } }))
        // Every payload twice, so that both nodes see the same events.
        for (const batch of Array.chunksOf([...payloads, ...payloads.toReversed()], 8))
          yield* append(...batch)
        const small = withRecorder(
          Effect.gen(function* () {
            const recorder = yield* Recorder
            let batches = yield* leaseWith({ payloads: 16 })
            while (batches.length > 0) {
              yield* recorder.recordBatches(batches)
              batches = yield* leaseWith({ payloads: 16 })
            }
          }),
        )
        yield* Effect.all([small, onSecondNode(small), small, onSecondNode(small)], {
          concurrency: "unbounded",
        })
        const groups = yield* groupsOf(project.id)
        expect(groups.map(({ reportsCount }) => reportsCount)).toEqual(Array.makeBy(5, () => 24))
        const recorded = yield* Effect.forEach(groups, eventIdsOf)
        expect(recorded.flat().sort()).toEqual(eventIds(payloads).sort())
        expect(yield* countsOf(project.id)).toEqual({ groups: 5, reports: 120 })
        expect(yield* deadLettersOf(project.id)).toEqual([])
        expect(yield* isQueueEmpty).toBe(true)
      }).pipe(onRealClock),
    ),

    contractCase(
      "records a batch that was leased too often payload by payload",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const payloads = [send(), send({ fault: "rejected" }), send({ fault: "undecodable" }), send()]
        yield* append(...payloads)
        for (let attempt = 1; attempt <= 3; attempt++) {
          yield* lease
          yield* advance(wide.duration)
        }
        const batches = yield* lease
        expect(batches.map(({ attempts }) => attempts)).toEqual([4])
        yield* recordBatches(batches)
        expect(yield* groupsOf(project.id)).toEqual([])
        yield* recordSuspects
        const group = yield* onlyGroupOf(project.id)
        expect(yield* eventIdsOf(group)).toEqual([payloads[3]!.eventId, payloads[0]!.eventId])
        const aside = yield* deadLettersOf(project.id)
        expect(aside.map(([eventId]) => eventId).sort()).toEqual(
          [payloads[1]!.eventId, payloads[2]!.eventId].sort(),
        )
        expect(yield* isQueueEmpty).toBe(true)
      }),
    ),

    contractCase(
      "records other payloads if one kills each recorder, and isolates that one",
      Effect.gen(function* () {
        const { project, send } = yield* given
        const payloads = [send(), send({ fault: "hangs" }), send()]
        yield* append(...payloads)
        const killedWhereItHangs = <E, R>(recording: Effect.Effect<void, E, R>) =>
          Effect.gen(function* () {
            const before = hangs.count
            const fiber = yield* Effect.forkChild(recording)
            while (hangs.count === before && fiber.pollUnsafe() === undefined) {
              yield* passTime(Effect.asVoid(isQueueEmpty))
            }
            yield* Fiber.interrupt(fiber)
          })
        for (let i = 0; i < 40 && !(yield* isQueueEmpty); i++) {
          yield* killedWhereItHangs(recordBatches(yield* lease))
          const suspect = yield* leaseSuspect
          if (Option.isSome(suspect)) yield* killedWhereItHangs(recordSuspect(suspect.value))
          yield* advance("1 hour")
        }
        const group = yield* onlyGroupOf(project.id)
        expect(yield* eventIdsOf(group)).toEqual([payloads[2]!.eventId, payloads[0]!.eventId])
        expect(yield* deadLettersOf(project.id)).toEqual([[payloads[1]!.eventId, "recording did not finish"]])
        expect(yield* isQueueEmpty).toBe(true)
      }),
    ),
  ],
}
