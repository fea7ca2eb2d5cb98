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

  it("leaves the application's pool unchanged and usable", async () => {
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
      // The connection of a statement that the stop interrupted is given back with its answer.
      await expect
        .poll(() => [pool.totalCount - pool.idleCount, pool.waitingCount, pool.listenerCount("error")])
        .toEqual([0, 0, 0])

      // Events accepted before a stop are recorded after the next start.
      const next = await make({ storage: postgres({ url }) })
      expect(next.project).toEqual(errata.project)
      expect(await next.reports.findByEventId(next.project.id, eventId)).toMatchObject({
        error_message: "kept",
      })
    } finally {
      await pool.end()
    }
  })

  it("records accepted events at the next start", async () => {
    const storage = postgres({ url })
    const slow = await make({ storage })
    const ids = await Promise.all(Array.from({ length: 20 }, () => slow.capture(new Error("accepted"))))
    await slow.close()
    const next = await make({ storage })
    const find = (id: string) => next.reports.findByEventId(next.project.id, id)
    const recorded = (id: string) => expect.poll(() => find(id).catch(String), { timeout: 30_000 })
    for (const id of ids) await recorded(id).toMatchObject({ event_id: id })
  })

  it("shares a pool with other instances, each in a schema of its own, without a warning", async () => {
    const warnings: Array<Error> = []
    const listen = (warning: Error) => void warnings.push(warning)
    process.on("warning", listen)
    const pool = new pg.Pool({ connectionString: url, max: 12 })
    try {
      const some = await Promise.all(
        Array.from({ length: 12 }, (_, i) => make({ storage: postgres({ pool, schema: `shop_${i % 3}` }) })),
      )
      const heard: Array<string> = []
      some[0]!.on("group.created", ({ group }) => void heard.push(group.error_message))
      await some[0]!.flush({ timeout: 30_000 })
      await Promise.all(
        some.map((errata, i) => errata.capture(new Error(`of ${i}`), { fingerprint: [`${i}`] })),
      )
      for (const errata of some) await errata.flush({ timeout: 30_000 })
      await expect
        .poll(() => [...heard].sort(), { timeout: 30_000 })
        .toEqual(["of 0", "of 3", "of 6", "of 9"])
      const messages = async (i: number) =>
        (await some[i]!.groups.list(some[i]!.project.id)).groups.map((group) => group.error_message).sort()
      expect(await messages(1)).toEqual(["of 1", "of 10", "of 4", "of 7"])
      expect(await messages(2)).toEqual(["of 11", "of 2", "of 5", "of 8"])
      await Promise.all(some.map((errata) => errata.close()))
      expect(warnings).toEqual([])
    } finally {
      process.off("warning", listen)
      await pool.end()
    }
  })

  it("does not migrate the schema with migrate: false", async () => {
    const pool = new pg.Pool({ connectionString: url, max: 3 })
    try {
      for (const storage of [
        postgres({ url, schema: "unmade", migrate: false }),
        postgres({ pool, schema: "unmade", migrate: false }),
      ]) {
        expect(await failureOf(make({ storage }))).toMatchObject({
          message:
            "createErrata failed: the database cannot be used: its schema does not match this version. Run errata migrate",
        })
      }
      await make({ storage: postgres({ pool, schema: "unmade" }) })
      const storage = postgres({ url, schema: "unmade", migrate: false })
      expect((await make({ storage })).project.id).toBe(1)
      expect(await failureOf(make({ storage: postgres({ url, schema: "Shop Errors" }) }))).toMatchObject({
        message: expect.stringMatching(
          /the database cannot be used: the schema "Shop Errors" must be 1 to 63 /,
        ),
      })
    } finally {
      await pool.end()
    }
  })

  it("explains why a reachable server cannot be used", async () => {
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
    const weak = await startingAt((to) => to.searchParams.set("options", "-c role=pg_monitor"))
    expect(weak.message).toMatch(
      /the role of the database lacks rights, which docs\/postgresql.md lists: permission denied/,
    )
    const german = await startingAt((to) => to.searchParams.set("options", "-c DateStyle=German"))
    expect(german.message).toContain("Set DateStyle of the database role to ISO")
  })

  it("reports that its database cannot be reached", async () => {
    const failure = await failureOf(
      make({ storage: postgres({ url: "postgres://nobody@127.0.0.1:1/none" }) }),
    )
    expect(failure).toMatchObject({
      code: "StartFailed",
      message: expect.stringMatching(/^createErrata failed: the database cannot be reached: .*ECONNREFUSED/),
    })
  })
})
