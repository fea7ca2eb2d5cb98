/** Connects a test to a database. */
import { Effect, Redacted } from "effect"
import * as PgSqlClient from "../../../src/internal/PgSqlClient.js"
import * as Pool from "../../../src/internal/Pool.js"

export const connect = (url: string | Redacted.Redacted) =>
  Effect.flatMap(
    Pool.open({
      connectionString: typeof url === "string" ? url : Redacted.value(url),
      max: 1,
      connectionTimeoutMillis: 30_000,
    }),
    PgSqlClient.make,
  )

/** Inserts 1, 2, 3 ... in separate transactions until the connection breaks. */
export const insertUntilBroken = (url: string | Redacted.Redacted, acknowledged: (n: number) => void) =>
  Effect.gen(function* () {
    const sql = yield* connect(url)
    yield* sql`create table if not exists acknowledged (n int primary key)`
    for (let n = 1; ; n++) {
      yield* sql`insert into acknowledged values (${n})`
      acknowledged(n)
    }
  }).pipe(Effect.scoped, Effect.ignore)

export const numbers = (url: string | Redacted.Redacted) =>
  connect(url).pipe(
    Effect.flatMap((sql) => sql<{ n: number }>`select n from acknowledged order by n`),
    Effect.map((rows) => rows.map(({ n }) => n)),
    Effect.scoped,
  )
