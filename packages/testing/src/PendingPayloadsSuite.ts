/** The queue. All projects share it, so every case empties it first. Leases follow the storage's clock. */
import {
  type DeadLetterBounds,
  type Payload,
  type PendingBatch,
  PendingPayloads,
  Storage,
  type StoredPayload,
} from "@errata/core/ports"
import { DateTime, Duration, Effect, Option } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, readPages } from "./internal/Paging.js"
import { emptyQueue, lease, leaseSuspect, leaseWith, partOf, stored, wholeOf } from "./internal/Queue.js"

const eventIdsOf = (batches: ReadonlyArray<PendingBatch>) =>
  batches.map(({ payloads }) => payloads.map(({ payload }) => payload.eventId))

const roomy: DeadLetterBounds = { payloads: 100, bytes: 1e6 }

/** Appends batches of these sizes to an empty queue and returns the event ids by batch. */
const given = Effect.fnUntraced(function* (...sizes: ReadonlyArray<number>) {
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
      "leases payloads as they were appended",
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
            receivedAt: Factory.noon.epochMilliseconds + 789,
          }),
          Factory.payload(b.id, { kind: "security", body: new Uint8Array(0) }),
          Factory.payload(a.id, { body: new Uint8Array(200_000).fill(7) }),
          // A view into a larger buffer, as bodies from the network are.
          Factory.payload(a.id, { body: bytes.subarray(65, 70) }),
        ]
        yield* pending.append(payloads)
        const batches = yield* lease
        expect(batches.map(({ attempts, projectId }) => [attempts, projectId])).toEqual([
          [1, a.id],
          [1, b.id],
        ])
        const positions = batches.map((batch) => batch.payloads.map(({ place }) => place.position))
        expect(positions).toEqual([[0, 1, 2], [0]])
        const places = batches.flatMap((batch) => batch.payloads.map(({ place }) => place.segmentId))
        expect(new Set(places).size).toBe(2)
        const leased = batches.flatMap((batch) => batch.payloads.map(({ payload }) => payload))
        for (const { body, ...rest } of payloads) {
          const { body: leasedBody, ...leasedRest } = leased.find(({ eventId }) => eventId === rest.eventId)!
          expect(leasedRest).toEqual(rest)
          expect(Buffer.compare(leasedBody, body)).toBe(0)
        }
      }),
    ),

    contractCase(
      "leases a batch to one caller at a time",
      Effect.gen(function* () {
        const batches = yield* given(1, 2)
        expect(eventIdsOf(yield* lease)).toEqual(batches)
        expect(yield* lease).toEqual([])
        expect(yield* onSecondNode(lease)).toEqual([])
      }),
    ),

    contractCase(
      "leases each batch to one of several concurrent nodes",
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
      "leases the oldest batches first, up to the requested number",
      Effect.gen(function* () {
        const [a, b, c, d] = yield* given(2, 2, 2, 5)
        expect(eventIdsOf(yield* leaseWith({ payloads: 3 }))).toEqual([a, b])
        expect(eventIdsOf(yield* leaseWith({ payloads: 2 }))).toEqual([c])
        expect(eventIdsOf(yield* leaseWith({ payloads: 1 }))).toEqual([d])
      }),
    ),

    contractCase(
      "leases batches up to a number of bytes, but at least one",
      Effect.gen(function* () {
        const [a, b, c] = yield* given(2, 2, 2)
        expect(eventIdsOf(yield* leaseWith({ bytes: 1 }))).toEqual([a])
        expect(eventIdsOf(yield* leaseWith({ bytes: 21 }))).toEqual([b, c])
      }),
    ),

    contractCase(
      "leases a batch again when its lease expires, and counts the attempts",
      Effect.gen(function* () {
        const batches = yield* given(2)
        yield* leaseWith({ duration: Duration.minutes(30) })
        yield* advance("20 minutes")
        expect(yield* lease).toEqual([])
        yield* advance("10 minutes")
        const [again] = yield* leaseWith({ duration: Duration.seconds(30) })
        expect(again!.attempts).toBe(2)
        expect(eventIdsOf([again!])).toEqual(batches)
        yield* advance("30 seconds")
        expect((yield* onSecondNode(lease)).map(({ attempts }) => attempts)).toEqual([3])
      }),
    ),

    contractCase(
      "holds a batch as long as its lease is renewed",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const [, batches] = yield* given(1, 1)
        const [, renewed] = yield* leaseWith({ duration: Duration.minutes(10) })
        yield* advance("8 minutes")
        yield* pending.renew([renewed!], Duration.minutes(10))
        yield* advance("8 minutes")
        expect(eventIdsOf(yield* lease)).not.toContainEqual(batches)
        yield* advance("2 minutes")
        expect(eventIdsOf(yield* lease)).toContainEqual(batches)
        yield* pending.renew([], Duration.minutes(10))
      }),
    ),

    contractCase(
      "renews no lease that another node has taken over",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        yield* given(1)
        const late = yield* leaseWith({ duration: Duration.minutes(1) })
        yield* advance("1 minute")
        yield* onSecondNode(leaseWith({ duration: Duration.minutes(5) }))
        yield* pending.renew(late, Duration.hours(5))
        yield* advance("5 minutes")
        expect(yield* lease).toHaveLength(1)
      }),
    ),

    contractCase(
      "leases suspects one by one, separately from other payloads",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const batches = yield* given(1)
        const { id } = yield* Given.project()
        expect(eventIdsOf(yield* lease)).toEqual(batches)
        const suspects = [Factory.payload(id, { body: new Uint8Array([1, 2, 3]) }), Factory.payload(id)]
        yield* pending.isolate(yield* stored(...suspects))
        expect(yield* lease).toEqual([])
        expect((yield* pending.size).payloads).toBe(3)
        const [a, b] = [yield* leaseSuspect, yield* onSecondNode(leaseSuspect)].map(Option.getOrThrow)
        expect(eventIdsOf([a!, b!])).toEqual(suspects.map(({ eventId }) => [eventId]))
        expect([...a!.payloads[0]!.payload.body]).toEqual([1, 2, 3])
        expect(Option.isNone(yield* leaseSuspect)).toBe(true)
        expect(yield* pending.remove([wholeOf(a!), wholeOf(b!)])).toBe(true)
        yield* pending.isolate([])
        expect(Option.isNone(yield* leaseSuspect)).toBe(true)
      }),
    ),

    contractCase(
      "delays a suspect longer after every attempt",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        yield* emptyQueue
        const { id } = yield* Given.project()
        yield* pending.isolate(yield* stored(Factory.payload(id)))
        // Minutes, since a database's clock advances by itself.
        const pauses = [10, 40, 300].map(Duration.minutes)
        const next = pending.leaseSuspect(pauses)
        for (const [i, pause] of [...pauses, pauses[2]!].entries()) {
          expect(Option.getOrThrow(yield* next).attempts).toBe(i + 1)
          yield* advance(Duration.times(pause, 0.5))
          expect(Option.isNone(yield* next)).toBe(true)
          yield* advance(Duration.times(pause, 0.5))
        }
        const suspect = Option.getOrThrow(yield* next)
        yield* pending.release([suspect])
        expect(Option.getOrThrow(yield* next).attempts).toBe(suspect.attempts)
      }),
    ),

    contractCase(
      "leases a released batch again immediately",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const batches = yield* given(1, 1)
        const [a, b] = yield* lease
        yield* pending.release([a!])
        const again = yield* lease
        expect(eventIdsOf(again)).toEqual([batches[0]])
        expect(again[0]!.attempts).toBe(1)
        yield* pending.release([a!, b!])
        expect(eventIdsOf(yield* lease)).toEqual(batches)
        yield* pending.release([])
      }),
    ),

    contractCase(
      "leases a postponed batch again after the given time",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const batches = yield* given(1)
        const [a] = yield* lease
        yield* pending.postpone([a!], Duration.minutes(8))
        yield* advance("4 minutes")
        expect(yield* lease).toEqual([])
        yield* advance("4 minutes")
        const again = yield* lease
        expect(eventIdsOf(again)).toEqual(batches)
        // The attempt has ended and does not count.
        expect(again[0]!.attempts).toBe(1)
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
        yield* pending.release([a!, b!, c!])
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
        const part = (...positions: ReadonlyArray<number>) => partOf(batch!, ...positions)
        expect(yield* pending.remove([part(2, 0)])).toBe(true)
        expect((yield* pending.size).payloads).toBe(2)
        yield* pending.release([batch!])
        const [rest] = yield* lease
        expect(rest!.payloads.map(({ payload, place }) => [place.position, payload.eventId])).toEqual([
          [1, ids![1]],
          [3, ids![3]],
        ])
        expect(yield* pending.remove([part(1)])).toBe(true)
        expect(yield* pending.remove([part(3)])).toBe(true)
        yield* pending.release([batch!])
        expect(yield* lease).toEqual([])
        expect(yield* pending.size).toEqual({ payloads: 0, bytes: 0 })
      }),
    ),

    contractCase(
      "removes the rest of a partly removed batch",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        yield* given(3)
        const [batch] = yield* lease
        yield* pending.remove([partOf(batch!, 1)])
        yield* pending.release([batch!])
        const [rest] = yield* lease
        expect(yield* pending.remove([wholeOf(rest!)])).toBe(true)
        yield* pending.release([batch!])
        expect(yield* lease).toEqual([])
      }),
    ),

    contractCase(
      "returns whether the removed payloads were still there",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        yield* given(2, 2)
        const [a, b] = yield* lease
        expect(yield* pending.remove([wholeOf(a!)])).toBe(true)
        expect(yield* pending.remove([wholeOf(a!)])).toBe(false)
        expect(yield* pending.remove([partOf(a!, 0)])).toBe(false)
        const part = partOf(b!, 0)
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
        const remove = Effect.flatMap(PendingPayloads, (pending) => pending.remove([partOf(batch!, 1)]))
        const removed = yield* Effect.all([remove, onSecondNode(remove)], { concurrency: "unbounded" })
        expect(removed.filter(Boolean)).toHaveLength(1)
        const pending = yield* PendingPayloads
        expect((yield* pending.size).payloads).toBe(2)
      }),
    ),

    contractCase(
      "keeps payloads that a failed transaction removed",
      Effect.gen(function* () {
        const { transaction } = yield* Storage
        const pending = yield* PendingPayloads
        const batches = yield* given(2)
        const [batch] = yield* lease
        yield* Effect.exit(
          transaction(Effect.andThen(pending.remove([wholeOf(batch!)]), Effect.fail("intended"))),
        )
        yield* pending.release([batch!])
        expect(eventIdsOf(yield* lease)).toEqual(batches)
      }),
    ),

    contractCase(
      "counts payloads and bytes, leased or not",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        yield* given(2, 3)
        expect(yield* pending.size).toEqual({ payloads: 5, bytes: 50 })
        const [batch] = yield* leaseWith({ payloads: 1 })
        expect(yield* pending.size).toEqual({ payloads: 5, bytes: 50 })
        yield* pending.remove([wholeOf(batch!)])
        expect(yield* pending.size).toEqual({ payloads: 3, bytes: 30 })
        const [other] = yield* lease
        yield* pending.remove([partOf(other!, 1)])
        expect(yield* pending.size).toEqual({ payloads: 2, bytes: 20 })
        yield* emptyQueue
        expect(yield* pending.size).toEqual({ payloads: 0, bytes: 0 })
      }),
    ),

    contractCase(
      "creates no batch without payloads",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        yield* emptyQueue
        yield* pending.append([])
        expect(yield* lease).toEqual([])
      }),
    ),

    contractCase(
      "stores large payloads, and many small ones",
      Effect.gen(function* () {
        yield* emptyQueue
        const pending = yield* PendingPayloads
        const { id } = yield* Given.project()
        const sizes = [3_000_000, 10, 900_000, 900_000, 0, ...Array.from({ length: 300 }, (_, i) => i)]
        const payloads = sizes.map((bytes, i) =>
          Factory.payload(id, { body: new Uint8Array(bytes).fill(i % 251) }),
        )
        yield* pending.append(payloads)
        const leased = (yield* lease).flatMap((batch) => batch.payloads.map(({ payload }) => payload))
        expect(leased.map(({ eventId }) => eventId)).toEqual(payloads.map(({ eventId }) => eventId))
        for (const [i, { body }] of leased.entries()) {
          expect(Buffer.compare(body, payloads[i]!.body)).toBe(0)
        }
      }),
    ),

    contractCase(
      "stores the place and the reason of a dead letter",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const { id: projectId } = yield* Given.project()
        const payload = Factory.payload(projectId, {
          kind: "envelope",
          body: Uint8Array.of(0, 255, 10),
          receivedAt: Factory.noon.epochMilliseconds + 1,
        })
        const [at] = yield* stored(payload)
        const reason = "not understood: 🌍"
        const [id] = yield* pending.addDeadLetters([{ ...at!, reason }], roomy, Factory.noon)
        const { items } = yield* pending.listDeadLetters({ limit: 1, cursor: id! + 1 })
        expect(items[0]).toEqual({
          id,
          place: at!.place,
          projectId,
          eventId: payload.eventId,
          kind: "envelope",
          receivedAt: payload.receivedAt,
          bytes: 3,
          reason,
          failedAt: Factory.noon,
        })
      }),
    ),

    contractCase(
      "queues a dead letter again once, as a suspect",
      Effect.gen(function* () {
        yield* emptyQueue
        const pending = yield* PendingPayloads
        const { id: projectId } = yield* Given.project()
        const payload = Factory.payload(projectId, { body: Uint8Array.of(1, 2, 3) })
        const [at] = yield* stored(Factory.payload(projectId), payload).pipe(Effect.map((all) => [all[1]!]))
        const [id] = yield* pending.addDeadLetters([{ ...at!, reason: "none" }], roomy, Factory.noon)
        expect(yield* pending.retryDeadLetter(id!)).toBe(true)
        expect(yield* pending.retryDeadLetter(id!)).toBe(false)
        const page = yield* pending.listDeadLetters({ limit: 1, cursor: id! + 1 })
        expect(page.items.map(idOf)).not.toContain(id)
        expect(yield* lease).toEqual([])
        const suspect = Option.getOrThrow(yield* leaseSuspect)
        expect(suspect.payloads.map(({ payload, place }) => [payload.eventId, place])).toEqual([
          [payload.eventId, at!.place],
        ])
        expect([...suspect.payloads[0]!.payload.body]).toEqual([1, 2, 3])
      }),
    ),

    contractCase(
      "deletes a dead letter once, without queueing it",
      Effect.gen(function* () {
        yield* emptyQueue
        const pending = yield* PendingPayloads
        const { id: projectId } = yield* Given.project()
        const [at, kept] = yield* stored(Factory.payload(projectId), Factory.payload(projectId))
        const both = [at!, kept!].map((each) => ({ ...each, reason: "none" }))
        const [id, other] = yield* pending.addDeadLetters(both, roomy, Factory.noon)
        expect(yield* pending.discardDeadLetter(id!)).toBe(true)
        expect(yield* pending.discardDeadLetter(id!)).toBe(false)
        expect(yield* pending.retryDeadLetter(id!)).toBe(false)
        const { items } = yield* pending.listDeadLetters({ limit: 2, cursor: other! + 1 })
        expect(items.map(idOf)).toContain(other)
        expect(items.map(idOf)).not.toContain(id)
        expect(yield* leaseSuspect).toEqual(Option.none())
      }),
    ),

    contractCase(
      "lists dead letters newest first, page by page",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const { id } = yield* Given.project()
        const aside = (reason: string, payload: StoredPayload) => ({ ...payload, reason })
        const before = (yield* pending.listDeadLetters({ limit: 1, cursor: null })).items.map(idOf)
        const [p, q, r, s] = yield* stored(...Array.from({ length: 4 }, () => Factory.payload(id)))
        const [a, b] = yield* pending.addDeadLetters([aside("a", p!), aside("b", q!)], roomy, Factory.noon)
        const [c] = yield* pending.addDeadLetters([aside("c", r!)], roomy, Factory.noon)
        const pages = yield* readPages(
          2,
          (page) => pending.listDeadLetters(page),
          pending.addDeadLetters([aside("d", s!)], roomy, Factory.noon),
        )
        const listed = pages.flat()
        expect(pages[0]!.map(idOf)).toEqual([c, b])
        expect(listed.map(({ reason }) => reason).slice(0, 3)).toEqual(["c", "b", "a"])
        expect(listed[2]!.id).toBe(a)
        expect(listed.slice(3, 4).map(idOf)).toEqual(before)
        expect(yield* pending.addDeadLetters([], roomy, Factory.noon)).toEqual([])
      }),
    ),

    contractCase(
      "deletes the oldest dead letters of a project beyond the bounds",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const a = yield* Given.project()
        const b = yield* Given.project()
        const aside = (project: typeof a, bounds: DeadLetterBounds, ...sizes: ReadonlyArray<number>) =>
          Effect.gen(function* () {
            const payloads = sizes.map((bytes) =>
              Factory.payload(project.id, { body: new Uint8Array(bytes) }),
            )
            const all = (yield* stored(...payloads)).map((each) => ({ ...each, reason: "none" }))
            return yield* pending.addDeadLetters(all, bounds, Factory.noon)
          })
        const before = yield* pending.deadLettersSize
        const others = yield* aside(b, roomy, 500, 500)
        const bounds = { payloads: 3, bytes: 100 }
        const first = yield* aside(a, bounds, 10, 10, 10)
        const second = yield* aside(a, bounds, 10)
        const third = yield* aside(a, bounds, 85)
        const left = (yield* readPages(50, (page) => pending.listDeadLetters(page))).flat().map(idOf)
        const known = [...others, ...first, ...second, ...third]
        expect(left.filter((id) => known.includes(id))).toEqual([third[0], second[0], others[1], others[0]])
        const after = yield* pending.deadLettersSize
        expect(after.payloads - before.payloads).toBe(4)
        expect(after.bytes - before.bytes).toBe(1095)
        // A dead letter that exceeds the limit by itself is not kept.
        yield* aside(a, bounds, 101)
        expect((yield* pending.deadLettersSize).payloads - before.payloads).toBe(2)
      }),
    ),

    contractCase(
      "deletes old dead letters in batches",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const { id } = yield* Given.project()
        const aside = Effect.fnUntraced(function* (days: number) {
          const [at] = yield* stored(Factory.payload(id))
          const moment = DateTime.add(Factory.noon, { days })
          return (yield* pending.addDeadLetters([{ ...at!, reason: "none" }], roomy, moment))[0]!
        })
        // Other cases may have left older ones.
        const before = DateTime.add(Factory.noon, { days: -1000 })
        while ((yield* pending.expireDeadLetters(before, 10)) > 0);
        const [a, b, c, d] = yield* Effect.forEach([-1003, -1002, -1001, -1000], aside)
        expect(yield* pending.expireDeadLetters(before, 2)).toBe(2)
        const left = (yield* readPages(50, (page) => pending.listDeadLetters(page))).flat().map(idOf)
        expect(left.filter((each) => [a, b, c, d].includes(each))).toEqual([d, c])
        expect(yield* pending.expireDeadLetters(before, 2)).toBe(1)
        expect(yield* pending.expireDeadLetters(before, 2)).toBe(0)
      }),
    ),
  ],
}
