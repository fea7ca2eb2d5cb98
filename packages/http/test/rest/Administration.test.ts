import type { Services } from "@errata/core"
import { PendingPayloads } from "@errata/core/ports"
import { Context, DateTime, Effect, type Layer } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { changedStores } from "../support/changedStores.js"
import { start, type TestInstance } from "../support/TestInstance.js"

const set = (id: number) => ({
  id,
  projectId: 1,
  eventId: "a".repeat(32),
  bytes: 3,
  reason: "not an event",
  receivedAt: 0,
  failedAt: DateTime.makeUnsafe(0),
})

/** A storage with two dead letters, and the ids of those that went back or were discarded. */
const withDeadLetters = () => {
  const retried: Array<number> = []
  const discarded: Array<number> = []
  const layer: Layer.Layer<Services.Stores> = changedStores((context) => {
    const store = Context.get(context, PendingPayloads)
    return Context.add(context, PendingPayloads, {
      ...store,
      listDeadLetters: () =>
        Effect.succeed({
          items: [9, 7].filter((id) => !retried.includes(id)).map(set),
          nextCursor: null,
        }) as never,
      discardDeadLetter: (id) => Effect.sync(() => id < 10 && discarded.push(id) > 0),
      retryDeadLetter: (id) => Effect.sync(() => id < 10 && retried.push(id) > 0),
    })
  })
  return { layer, retried, discarded }
}

describe("Administration", () => {
  let errata: TestInstance | undefined
  afterEach(() => errata?.stop())

  it("lists dead letters and queues them again", async () => {
    const { layer, retried } = withDeadLetters()
    errata = await start({}, layer)
    const { json } = await errata.api("/dead_letters")
    expect(json).toEqual({
      dead_letters: [9, 7].map((id) => ({
        id,
        project_id: 1,
        event_id: "a".repeat(32),
        reason: "not an event",
        bytes: 3,
        received_at: "1970-01-01T00:00:00.000Z",
      })),
      next_cursor: null,
      has_more: false,
    })
    expect((await errata.api("/dead_letters/99/retry", { method: "POST" })).status).toBe(404)
    expect((await errata.api("/dead_letters/7/retry", { method: "POST" })).status).toBe(204)
    expect((await errata.api("/dead_letters/retry", { method: "POST" })).json).toEqual({ retried: 1 })
    expect(retried).toEqual([7, 9])
  })

  it("discards a dead letter", async () => {
    const { discarded, layer } = withDeadLetters()
    errata = await start({}, layer)
    expect((await errata.api("/dead_letters/99", { method: "DELETE" })).status).toBe(404)
    expect((await errata.api("/dead_letters/7", { method: "DELETE" })).status).toBe(204)
    expect(discarded).toEqual([7])
  })
})
