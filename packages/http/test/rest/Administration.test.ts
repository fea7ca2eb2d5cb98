import { PendingPayloads, type Services } from "@errata/core"
import { Context, DateTime, Effect, type Layer } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { changedStores } from "../support/changedStores.js"
import { adminKey, memberKey, start, type TestInstance } from "../support/TestInstance.js"

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

  it("lists dead letters and puts them back", async () => {
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

  it("replaces the API key of a user at once", async () => {
    errata = await start()
    const { users } = (await errata.api("/users")).json as {
      users: ReadonlyArray<{ id: number; role: string }>
    }
    const { id } = users.find(({ role }) => role === "member")!
    const rotated = await errata.api(`/users/${id}/api_key`, { method: "POST" })
    expect(rotated.status).toBe(201)
    expect((await errata.api("/projects", { key: memberKey })).status).toBe(401)
    expect((await errata.api("/projects", { key: String(rotated.json.api_key) })).status).toBe(200)
    expect((await errata.api("/users/999999/api_key", { method: "POST" })).status).toBe(404)
  })

  it("is for admins", async () => {
    errata = await start()
    for (const [method, path] of [
      ["GET", "/dead_letters"],
      ["POST", "/dead_letters/retry"],
      ["POST", "/dead_letters/7/retry"],
      ["DELETE", "/dead_letters/7"],
      ["POST", "/users/1/api_key"],
    ] as const) {
      expect((await errata.api(path, { method, key: memberKey })).status, path).toBe(403)
    }
    expect((await errata.api("/dead_letters", { key: adminKey })).status).toBe(200)
  })
})
