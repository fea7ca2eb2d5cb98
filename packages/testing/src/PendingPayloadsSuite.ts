/**
 * The queue. It is one for all projects, so every case starts by emptying it; leases run by the clock of the fiber
 * that asks.
 */
import { type BatchPart, type Payload, type PendingBatch, PendingPayloads, Storage } from "@errata/core"
import { Duration, Effect, TestClock } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, readPages } from "./internal/Paging.js"
import { emptyQueue, lease, leaseWith, wholeOf } from "./internal/Queue.js"

const eventIdsOf = (batches: ReadonlyArray<PendingBatch>) =>
  batches.map(({ payloads }) => payloads.map(({ payload }) => payload.eventId))

/** Appends batches of so many payloads to an empty queue; answers the event ids by batch. */
const given = (...sizes: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    yield* emptyQueue
    const pending = yield* PendingPayloads
    const { id } = yield* Given.project()
    const batches: Array<ReadonlyArray<Payload>> = []
    for (const size of sizes) {
      const batch = Array.from({ length: size }, () => Factory.payload(id, { body: new Uint8Array(10) }))
      yield* pending.append(batch)
      batches.push(batch)
    }
    return batches.map((batch) => batch.map(({ eventId }) => eventId))
  })

export const pendingPayloadsSuite: ContractSuite = {
  name: "PendingPayloads",
  cases: [
    contractCase(
      "hands payloads out as they came in",
      Effect.gen(function* () {
        yield* emptyQueue
        const pending = yield* PendingPayloads
        const a = yield* Given.project()
        const b = yield* Given.project()
        const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
        const payloads = [
          Factory.payload(a.id, {
            kind: "envelope",
            body: bytes,
            receivedAt: Factory.noon.epochMillis + 789,
          }),
          Factory.payload(b.id, { kind: "security", body: new Uint8Array(0) }),
          Factory.payload(a.id, { body: new Uint8Array(200_000).fill(7) }),
          // A view into a larger buffer, as bodies from the network are.
          Factory.payload(a.id, { body: bytes.subarray(65, 70) }),
        ]
        yield* pending.append(payloads)
        const [batch, ...others] = yield* lease
        expect(others).toEqual([])
        expect(batch!.attempts).toBe(1)
        expect(batch!.payloads.map(({ position }) => position)).toEqual([0, 1, 2, 3])
        for (const [i, { payload }] of batch!.payloads.entries()) {
          const { body, ...rest } = payloads[i]!
          const { body: leasedBody, ...leasedRest } = payload
          expect(leasedRest).toEqual(rest)
          expect(Buffer.compare(leasedBody, body)).toBe(0)
        }
      }),
    ),

    contractCase(
      "hands a batch out once while it is held",
      Effect.gen(function* () {
        const batches = yield* given(1, 2)
        expect(eventIdsOf(yield* lease)).toEqual(batches)
        expect(yield* lease).toEqual([])
        expect(yield* onSecondNode(lease)).toEqual([])
      }),
    ),

    contractCase(
      "hands every batch out once when several nodes ask at once",
      Effect.gen(function* () {
        const batches = yield* given(...Array.from({ length: 30 }, () => 2))
        const some = leaseWith({ payloads: 6 })
        const leased = yield* Effect.all(
          Array.from({ length: 6 }, (_, i) => (i % 2 === 0 ? some : onSecondNode(some))),
          { concurrency: "unbounded" },
        )
        const rest = yield* lease
        const ids = eventIdsOf([...leased.flat(), ...rest]).flat()
        expect(ids).toHaveLength(60)
        expect(new Set(ids)).toEqual(new Set(batches.flat()))
      }),
    ),

    contractCase(
      "hands the oldest batches out first, up to what was asked for",
      Effect.gen(function* () {
        const [a, b, c, d] = yield* given(2, 2, 2, 5)
        expect(eventIdsOf(yield* leaseWith({ payloads: 3 }))).toEqual([a, b])
        expect(eventIdsOf(yield* leaseWith({ payloads: 2 }))).toEqual([c])
        expect(eventIdsOf(yield* leaseWith({ payloads: 1 }))).toEqual([d])
      }),
    ),

    contractCase(
      "stops at the bytes asked for, but leases one batch at least",
      Effect.gen(function* () {
        const [a, b, c] = yield* given(2, 2, 2)
        expect(eventIdsOf(yield* leaseWith({ bytes: 1 }))).toEqual([a])
        expect(eventIdsOf(yield* leaseWith({ bytes: 21 }))).toEqual([b, c])
      }),
    ),

    contractCase(
      "hands a batch out again when its lease has run out, and counts the attempts",
      Effect.gen(function* () {
        const batches = yield* given(2)
        yield* leaseWith({ duration: Duration.seconds(30) })
        yield* TestClock.adjust("29999 millis")
        expect(yield* lease).toEqual([])
        yield* TestClock.adjust("1 millis")
        const [again] = yield* leaseWith({ duration: Duration.seconds(30) })
        expect(again!.attempts).toBe(2)
        expect(eventIdsOf([again!])).toEqual(batches)
        yield* TestClock.adjust("30 seconds")
        expect((yield* onSecondNode(lease)).map(({ attempts }) => attempts)).toEqual([3])
      }),
    ),

    contractCase(
      "hands a batch out again at once when it is given back",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const batches = yield* given(1, 1)
        const [a, b] = yield* lease
        yield* pending.release([a!.id])
        const again = yield* lease
        expect(eventIdsOf(again)).toEqual([batches[0]])
        expect(again[0]!.attempts).toBe(1)
        yield* pending.release([a!.id, b!.id])
        expect(eventIdsOf(yield* lease)).toEqual(batches)
        yield* pending.release([])
      }),
    ),

    contractCase(
      "hands a postponed batch out again after the time asked for, and not before",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const batches = yield* given(1)
        const [a] = yield* lease
        yield* pending.postpone([a!.id], Duration.seconds(8))
        yield* TestClock.adjust(Duration.millis(7_999))
        expect(yield* lease).toEqual([])
        yield* TestClock.adjust(Duration.millis(1))
        const again = yield* lease
        expect(eventIdsOf(again)).toEqual(batches)
        expect(again[0]!.attempts).toBe(2)
        yield* pending.postpone([], Duration.seconds(8))
      }),
    ),

    contractCase(
      "removes batches that are recorded",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const batches = yield* given(2, 1, 3)
        const [a, b, c] = yield* lease
        expect(yield* pending.remove([wholeOf(a!), wholeOf(c!)])).toBe(true)
        yield* pending.release([a!, b!, c!].map(idOf))
        expect(eventIdsOf(yield* lease)).toEqual([batches[1]])
        expect(yield* pending.remove([])).toBe(true)
      }),
    ),

    contractCase(
      "removes parts of a batch and keeps the rest at its positions",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const [ids] = yield* given(4)
        const [batch] = yield* lease
        const part = (...positions: ReadonlyArray<number>): BatchPart => ({
          batchId: batch!.id,
          positions,
          whole: false,
        })
        expect(yield* pending.remove([part(2, 0)])).toBe(true)
        expect((yield* pending.size).payloads).toBe(2)
        yield* pending.release([batch!.id])
        const [rest] = yield* lease
        expect(rest!.payloads.map(({ payload, position }) => [position, payload.eventId])).toEqual([
          [1, ids![1]],
          [3, ids![3]],
        ])
        expect(yield* pending.remove([part(1)])).toBe(true)
        expect(yield* pending.remove([part(3)])).toBe(true)
        yield* pending.release([batch!.id])
        expect(yield* lease).toEqual([])
        expect(yield* pending.size).toEqual({ payloads: 0, bytes: 0 })
      }),
    ),

    contractCase(
      "removes a rest as a whole",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        yield* given(3)
        const [batch] = yield* lease
        yield* pending.remove([{ batchId: batch!.id, positions: [1], whole: false }])
        yield* pending.release([batch!.id])
        const [rest] = yield* lease
        expect(yield* pending.remove([wholeOf(rest!)])).toBe(true)
        yield* pending.release([batch!.id])
        expect(yield* lease).toEqual([])
      }),
    ),

    contractCase(
      "tells when what is to be removed is gone already",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        yield* given(2, 2)
        const [a, b] = yield* lease
        expect(yield* pending.remove([wholeOf(a!)])).toBe(true)
        expect(yield* pending.remove([wholeOf(a!)])).toBe(false)
        expect(yield* pending.remove([{ batchId: a!.id, positions: [0], whole: false }])).toBe(false)
        const part = { batchId: b!.id, positions: [0], whole: false }
        expect(yield* pending.remove([part])).toBe(true)
        const { transaction } = yield* Storage
        const undone = yield* Effect.flip(
          transaction(
            Effect.filterOrFail(pending.remove([wholeOf(b!)]), Boolean, () => "gone already" as const),
          ),
        )
        expect(undone).toBe("gone already")
        expect(yield* pending.remove([part])).toBe(false)
        expect(yield* pending.remove([{ ...part, positions: [1] }])).toBe(true)
      }),
    ),

    contractCase(
      "lets only one of two nodes remove a batch",
      Effect.gen(function* () {
        yield* given(2)
        const [batch] = yield* lease
        const remove = Effect.flatMap(PendingPayloads, (pending) => pending.remove([wholeOf(batch!)]))
        const removed = yield* Effect.all([remove, onSecondNode(remove)], { concurrency: "unbounded" })
        expect(removed.filter(Boolean)).toHaveLength(1)
      }),
    ),

    contractCase(
      "lets only one of two nodes remove the same part of a batch",
      Effect.gen(function* () {
        yield* given(3)
        const [batch] = yield* lease
        const remove = Effect.flatMap(PendingPayloads, (pending) =>
          pending.remove([{ batchId: batch!.id, positions: [1], whole: false }]),
        )
        const removed = yield* Effect.all([remove, onSecondNode(remove)], { concurrency: "unbounded" })
        expect(removed.filter(Boolean)).toHaveLength(1)
        const pending = yield* PendingPayloads
        expect((yield* pending.size).payloads).toBe(2)
      }),
    ),

    contractCase(
      "keeps what a failed transaction removed",
      Effect.gen(function* () {
        const { transaction } = yield* Storage
        const pending = yield* PendingPayloads
        const batches = yield* given(2)
        const [batch] = yield* lease
        yield* Effect.exit(
          transaction(Effect.zipRight(pending.remove([wholeOf(batch!)]), Effect.fail("intended"))),
        )
        yield* pending.release([batch!.id])
        expect(eventIdsOf(yield* lease)).toEqual(batches)
      }),
    ),

    contractCase(
      "counts payloads and bytes, held or not",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        yield* given(2, 3)
        expect(yield* pending.size).toEqual({ payloads: 5, bytes: 50 })
        const [batch] = yield* leaseWith({ payloads: 1 })
        expect(yield* pending.size).toEqual({ payloads: 5, bytes: 50 })
        yield* pending.remove([wholeOf(batch!)])
        expect(yield* pending.size).toEqual({ payloads: 3, bytes: 30 })
        yield* emptyQueue
        expect(yield* pending.size).toEqual({ payloads: 0, bytes: 0 })
      }),
    ),

    contractCase(
      "makes no batch of no payloads",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        yield* emptyQueue
        yield* pending.append([])
        expect(yield* lease).toEqual([])
      }),
    ),

    contractCase(
      "keeps what is set aside, with the reason",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const { id: projectId } = yield* Given.project()
        const payload = Factory.payload(projectId, {
          kind: "envelope",
          body: Uint8Array.of(0, 255, 10),
          receivedAt: Factory.noon.epochMillis + 1,
        })
        const reason = "not understood: 🌍"
        const [id] = yield* pending.setAside([{ payload, reason }], Factory.noon)
        const { items } = yield* pending.listSetAside({ limit: 1, cursor: id! + 1 })
        const { body, ...rest } = items[0]!.payload
        expect({ ...items[0], payload: rest }).toEqual({
          id,
          payload: { projectId, eventId: payload.eventId, kind: "envelope", receivedAt: payload.receivedAt },
          reason,
          setAsideAt: Factory.noon,
        })
        expect([...body]).toEqual([0, 255, 10])
      }),
    ),

    contractCase(
      "lists what is set aside newest first, page by page",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const { id } = yield* Given.project()
        const aside = (reason: string) => ({ payload: Factory.payload(id), reason })
        const before = (yield* pending.listSetAside({ limit: 1, cursor: null })).items.map(idOf)
        const [a, b] = yield* pending.setAside([aside("a"), aside("b")], Factory.noon)
        const [c] = yield* pending.setAside([aside("c")], Factory.noon)
        const pages = yield* readPages(
          2,
          (page) => pending.listSetAside(page),
          pending.setAside([aside("d")], Factory.noon),
        )
        const listed = pages.flat()
        expect(pages[0]!.map(idOf)).toEqual([c, b])
        expect(listed.map(({ reason }) => reason).slice(0, 3)).toEqual(["c", "b", "a"])
        expect(listed[2]!.id).toBe(a)
        expect(listed.slice(3, 4).map(idOf)).toEqual(before)
        expect(yield* pending.setAside([], Factory.noon)).toEqual([])
      }),
    ),

    contractCase(
      "forgets what was set aside, once",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const { id: projectId } = yield* Given.project()
        const [id] = yield* pending.setAside(
          [{ payload: Factory.payload(projectId), reason: "none" }],
          Factory.noon,
        )
        expect(yield* pending.dropSetAside(id!)).toBe(true)
        expect(yield* pending.dropSetAside(id!)).toBe(false)
        const page = yield* pending.listSetAside({ limit: 1, cursor: id! + 1 })
        expect(page.items.map(idOf)).not.toContain(id)
      }),
    ),
  ],
}
