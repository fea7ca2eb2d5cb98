import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Scope } from "effect"
import pg from "pg"
import * as PgSqlClient from "../../src/internal/PgSqlClient.js"
import * as Pool from "../../src/internal/Pool.js"
import { freshDatabase } from "../support/database.js"

const connect = (url: Redacted.Redacted) =>
  Effect.flatMap(Pool.open({ connectionString: Redacted.value(url), max: 1 }), PgSqlClient.make)

const nameOf = (url: Redacted.Redacted) => new URL(Redacted.value(url)).pathname.slice(1)

const names = (url: Redacted.Redacted) =>
  connect(url).pipe(
    Effect.flatMap((sql) => sql<{ datname: string }>`select datname from pg_database`),
    Effect.map((rows) => rows.map(({ datname }) => datname)),
    Effect.scoped,
  )

describe("TestDatabase", () => {
  it.live("creates a separate database for each caller", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([freshDatabase, freshDatabase], { concurrency: 2 })
      expect(Redacted.value(one)).not.toBe(Redacted.value(other))
      const sql = yield* connect(one)
      yield* sql`create table only_here (id int)`
      const elsewhere = yield* connect(other)
      const found = yield* elsewhere<{ found: string | null }>`select to_regclass('only_here')::text as found`
      expect(found).toEqual([{ found: null }])
    }),
  )

  it.live("drops it afterwards, even under a connection that is still open", () =>
    Effect.gen(function* () {
      const remaining = yield* freshDatabase
      const longer = yield* Effect.scope
      const dropped = yield* Effect.scoped(
        Effect.gen(function* () {
          const url = yield* freshDatabase
          const sql = yield* Scope.provide(connect(url), longer)
          yield* sql`select 1`
          expect(yield* names(remaining)).toContain(nameOf(url))
          return nameOf(url)
        }),
      )
      expect(yield* names(remaining)).not.toContain(dropped)
    }),
  )

  const leaves = Effect.gen(function* () {
    const remaining = yield* freshDatabase
    const leaving = yield* Effect.scoped(
      Effect.gen(function* () {
        const client = new pg.Client({ connectionString: Redacted.value(yield* freshDatabase) })
        yield* Effect.promise(() => client.connect())
        return yield* Effect.forkChild(
          Effect.promise(async () => {
            const { rows } = await client.query("select current_database() as name, pg_sleep(0.5)")
            await client.end()
            return String(rows[0].name)
          }),
        )
      }),
    )
    expect(yield* names(remaining)).not.toContain(yield* Fiber.join(leaving))
  })

  it.live("waits for connections that are about to close", () => leaves)

  it.effect("waits for them in a test with a test clock", () => leaves)

  it.live("has UTF-8 and its rules for upper and lower case", () =>
    Effect.gen(function* () {
      const sql = yield* Effect.flatMap(freshDatabase, connect)
      const rows = yield* sql`select lower('ÄÖÉ') as lower, to_tsvector('simple', 'ÄPFEL')::text as words`
      expect(rows).toEqual([{ lower: "äöé", words: "'äpfel':1" }])
    }),
  )
})
