/** An instance behind PgBouncer, where that is installed. */

import { TestDatabase } from "@errata/storage-postgres/embedded"
import { Effect, Exit, Redacted, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import * as PgBouncer from "../../storage-postgres/test/support/pgbouncer.js"
import { postgres } from "../src/postgres.js"
import { failureOf, instances } from "./support/Instances.js"

const dropped =
  "ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout"

describe.skipIf(!PgBouncer.isInstalled).each([
  ["session", []],
  ["transaction", []],
  ["transaction", [dropped]],
] as const)("an instance behind PgBouncer that pools by %s %s", (mode, more) => {
  const make = instances()
  const scope = Effect.runSync(Scope.make())
  const inScope = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
    Effect.runPromise(Scope.provide(effect, scope))
  let url = ""
  beforeAll(async () => {
    const database = await inScope(TestDatabase.make(Redacted.make(inject("databaseServer"))))
    url = Redacted.value(await inScope(PgBouncer.make(database, mode, more)))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it("records", async () => {
    const errata = await make({ storage: postgres({ url }) })
    await errata.capture(new Error("through a pooler"))
    await errata.flush({ timeout: 30_000 })
    expect((await errata.groups.list(errata.project.id)).groups).toMatchObject([
      { error_message: "through a pooler" },
    ])
  })

  it("uses prepared statements, or fails if the pooler does not support them", async () => {
    const storage = postgres({ url, prepared: true })
    if (mode === "transaction" && PgBouncer.version < 1.21) {
      expect(await failureOf(make({ storage }))).toMatchObject({
        message: expect.stringContaining("its pooler does not keep prepared statements"),
      })
    } else {
      const errata = await make({ storage })
      for (const text of ["a", "b", "c"]) await errata.capture(new Error(text), { fingerprint: [text] })
      await errata.flush({ timeout: 30_000 })
      expect((await errata.groups.list(errata.project.id)).groups.length).toBeGreaterThanOrEqual(3)
    }
  })

  it("uses only its schema on connections that others share", async () => {
    const heard: Array<string> = []
    const start = async (schema: string) => {
      const errata = await make({ storage: postgres({ url, maxConnections: 4, schema }) })
      const hear = (queue?: string) =>
        errata.on("group.created", ({ group }) => void heard.push(`${schema}: ${group.error_message}`), {
          queue,
        })
      hear()
      hear("mail")
      return errata
    }
    const [shop, blog] = [await start("shop"), await start("blog")]
    for (let i = 0; i < 5; i++) {
      await Promise.all([
        shop.capture(new Error(`s${i}`), { fingerprint: [`${i}`] }),
        blog.capture(new Error(`b${i}`), { fingerprint: [`${i}`] }),
      ])
    }
    await Promise.all([shop.flush({ timeout: 30_000 }), blog.flush({ timeout: 30_000 })])
    const expected = Array.from({ length: 5 }, (_, i) => [`shop: s${i}`, `blog: b${i}`]).flat()
    await expect.poll(() => [...heard].sort(), { timeout: 30_000 }).toEqual([...expected, ...expected].sort())
  })
})
