import { TestDatabase } from "@errata/storage-postgres/embedded"
import { Effect, Exit, Redacted, Scope } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { postgres } from "../src/postgres.js"
import { failureOf, instances } from "./support/Instances.js"

describe("an instance on PostgreSQL", () => {
  const make = instances()
  const scope = Effect.runSync(Scope.make())
  let url = ""
  beforeAll(async () => {
    const made = TestDatabase.make(Redacted.make(inject("databaseServer")))
    url = Redacted.value(await Effect.runPromise(Scope.provide(made, scope)))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it("leaves the application's pool as it was, and usable", async () => {
    const pool = new pg.Pool({ connectionString: url, max: 4 })
    try {
      const errata = await make({ storage: postgres({ pool }), encryptionKey: "ab".repeat(32) })
      const heard: Array<string> = []
      errata.on("group.created", ({ event }) => void heard.push(event))
      const eventId = await errata.capture(new Error("kept"), { fingerprint: ["pool"] })
      await errata.flush({ timeout: 30_000 })
      expect(heard).toEqual(["group.created"])
      expect(await errata.reports.findByEventId(errata.project.id, eventId)).toMatchObject({
        error_message: "kept",
      })
      const { secret } = await errata.webhooks.create(errata.project.id, {
        url: "https://hooks.example.com/",
        events: ["group.created"],
        enabled: false,
      })
      expect(secret).toMatch(/^whsec_/)
      await errata.close()
      expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }])
      expect([pool.totalCount - pool.idleCount, pool.waitingCount, pool.listenerCount("error")]).toEqual([
        0, 0, 0,
      ])

      // What was accepted before a stop is there after it.
      const next = await make({ storage: postgres({ url }) })
      expect(next.project).toEqual(errata.project)
      expect(await next.reports.findByEventId(next.project.id, eventId)).toMatchObject({
        error_message: "kept",
      })
    } finally {
      await pool.end()
    }
  })

  it("records at the next start what was accepted and not recorded", async () => {
    const storage = postgres({ url })
    const slow = await make({ storage })
    const ids = await Promise.all(Array.from({ length: 20 }, () => slow.capture(new Error("accepted"))))
    await slow.close()
    const next = await make({ storage })
    const find = (id: string) => next.reports.findByEventId(next.project.id, id)
    const recorded = (id: string) => expect.poll(() => find(id).catch(String), { timeout: 30_000 })
    for (const id of ids) await recorded(id).toMatchObject({ event_id: id })
  })

  it("says why a server that it reaches does not serve it", async () => {
    const startingAt = async (change: (url: URL) => void) => {
      const changed = new URL(url)
      change(changed)
      const storage = postgres({ url: changed.href })
      return (await failureOf(make({ storage, project: "Not there yet" }))) as Error
    }
    const nowhere = await startingAt((to) => {
      to.pathname = "/no_such_database"
    })
    expect(nowhere.message).toContain("the database does not exist: ")
    const nobody = await startingAt((to) => {
      to.username = "nobody_here"
    })
    expect(nobody.message).toContain("the database rejected the user name or the password: ")
    const readOnly = await startingAt((to) =>
      to.searchParams.set("options", "-c default_transaction_read_only=on"),
    )
    expect(readOnly.message).toContain("the database is read-only: ")
    const german = await startingAt((to) => to.searchParams.set("options", "-c DateStyle=German"))
    expect(german.message).toContain("Set DateStyle of the database role to ISO")
  })

  it("says that its database cannot be reached", async () => {
    const failure = await failureOf(
      make({ storage: postgres({ url: "postgres://nobody@127.0.0.1:1/none" }) }),
    )
    expect(failure).toMatchObject({
      code: "StartFailed",
      message: expect.stringMatching(/^createErrata failed: the database cannot be reached: .*ECONNREFUSED/),
    })
  })
})
