import type { ProjectId } from "@errata/core"
import { PendingPayloads, type StoredPayload } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { Context, Deferred, Effect, Layer, Option } from "effect"
import { describe, expect, it } from "vitest"
import { type ErrataStorage, ErrataTimeoutError } from "../src/index.js"
import { OwnPayloads } from "../src/Unrecorded.js"
import { failureOf, instances } from "./support/Instances.js"

describe("flush", () => {
  const make = instances()

  /** A storage that several instances share, the same storage for a node that records nothing, and the queue. */
  const shared = async () => {
    const stores = await Effect.runPromise(MemoryStorage.make)
    const queue = Context.get(stores, PendingPayloads)
    const idle = Context.add(stores, PendingPayloads, {
      ...queue,
      lease: () => Effect.succeed([]),
      leaseSuspect: () => Effect.succeed(Option.none()),
    })
    const storage: ErrataStorage = { name: "shared", layer: Layer.succeedContext(stores) }
    return { queue, storage, idle: { name: "idle", layer: Layer.succeedContext(idle) } }
  }

  it("does not wait for payloads of others", async () => {
    const { queue, storage } = await shared()
    const errata = await make({ storage })
    const eventId = "e".repeat(32)
    // Feedback on an event that has not arrived yet stays queued.
    const feedback = { event_id: eventId, name: "Ann", email: "ann@example.com", comments: "It broke" }
    const body = Buffer.from(
      `{"event_id":"${eventId}"}\n{"type":"user_report"}\n${JSON.stringify(feedback)}\n`,
    )
    const projectId = errata.project.id as ProjectId
    await Effect.runPromise(
      queue.append([{ projectId, eventId, kind: "envelope", receivedAt: Date.now(), body }]),
    )
    const captured = await errata.capture(new Error("mine"))
    await errata.flush()
    expect(await errata.reports.findByEventId(errata.project.id, captured)).toMatchObject({
      error_message: "mine",
    })
    expect((await Effect.runPromise(queue.size)).payloads).toBe(1)
  })

  it("ends while more errors are captured", async () => {
    const errata = await make()
    let goesOn = true
    let count = 0
    errata.on("group.created", async () => {
      if (goesOn) await errata.capture(new Error("again"), { fingerprint: [String(++count)] })
    })
    const eventId = await errata.capture(new Error("first"), { fingerprint: ["first"] })
    await errata.flush({ timeout: 30_000 })
    goesOn = false
    expect(await errata.reports.findByEventId(errata.project.id, eventId)).toMatchObject({
      error_message: "first",
    })
  })

  it("includes payloads that another node has recorded", async () => {
    const { idle, storage } = await shared()
    const here = await make({ storage: idle })
    await make({ storage })
    const eventId = await here.capture(new Error("recorded there"))
    await here.flush({ timeout: 30_000 })
    expect(await here.reports.findByEventId(here.project.id, eventId)).toMatchObject({ event_id: eventId })
  })

  it("fails after its timeout, without losing errors", async () => {
    const { idle, storage } = await shared()
    const here = await make({ storage: idle })
    const eventId = await here.capture(new Error("late"))
    const failure = await failureOf(here.flush({ timeout: 20 }))
    expect(failure).toBeInstanceOf(ErrataTimeoutError)
    expect(failure).toMatchObject({
      code: "TimedOut",
      status: null,
      message: expect.stringContaining("20 ms"),
    })
    await make({ storage })
    await here.flush({ timeout: 30_000 })
    expect(await here.reports.findByEventId(here.project.id, eventId)).toMatchObject({ event_id: eventId })
  })

  it("fails after its timeout while the storage hangs", async () => {
    const stores = await Effect.runPromise(MemoryStorage.make)
    const queue = Context.get(stores, PendingPayloads)
    const answer = Deferred.makeUnsafe<void>()
    let isHanging = false
    const hanging = Context.add(stores, PendingPayloads, {
      ...queue,
      // A statement that was sent completes, even if the caller no longer waits for it.
      lease: (request) =>
        Effect.suspend(() =>
          isHanging ? Effect.andThen(Deferred.await(answer), queue.lease(request)) : queue.lease(request),
        ),
    })
    const errata = await make({ storage: { name: "hanging", layer: Layer.succeedContext(hanging) } })
    isHanging = true
    await errata.capture(new Error("waits"))
    expect(await failureOf(errata.flush({ timeout: 20 }))).toBeInstanceOf(ErrataTimeoutError)
    Effect.runSync(Deferred.succeed(answer, undefined))
    await errata.flush()
  })

  it("waits for payloads that are recorded as suspects", () => {
    const own = new OwnPayloads()
    const stored: StoredPayload = {
      place: { segmentId: 1, position: 0 },
      payload: {
        projectId: 1 as ProjectId,
        eventId: "a".repeat(32),
        kind: "event",
        receivedAt: 0,
        body: Buffer.alloc(0),
      },
    }
    const batch = (id: number) => ({ id, attempts: 1, projectId: 1 as ProjectId, payloads: [stored] })
    const part = (batchId: number) => ({
      batchId,
      projectId: 1 as ProjectId,
      positions: [0],
      bytes: 0,
      whole: true,
    })
    own.add([stored.payload])
    const keys = own.keys()
    own.take([batch(1)])
    own.addAgain([stored])
    own.remove([part(1)])
    expect(own.has(keys)).toBe(true)
    own.take([batch(2)])
    own.remove([part(2)])
    expect(own.has(keys)).toBe(false)
  })

  it("tracks a bounded number of payloads", () => {
    const own = new OwnPayloads()
    const payloads = Array.from({ length: 10_500 }, (_, i) => ({
      projectId: 1 as ProjectId,
      eventId: String(i),
      kind: "event",
      receivedAt: 0,
      body: Buffer.alloc(0),
    }))
    own.add(payloads)
    expect([own.keys().size, own.keys().has("1/10499/event")]).toEqual([10_000, true])
  })
})
