import { expect, it } from "@effect/vitest"
import { HealthStore, PendingPayloads } from "@errata/core/ports"
import { Factory, Given } from "@errata/testing"
import { Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { make, RecentBlocks } from "../src/RecentBlocks.js"
import { freshDatabase } from "./support/database.js"

/** A node without recent blocks: its recorder reads all of them from the database. */
const node = Layer.unwrap(
  Effect.map(freshDatabase, (url) =>
    Layer.provideMerge(PostgresStorage.layer({ url }), PostgresClient.layer({ url })),
  ),
).pipe(Layer.provide(Layer.succeed(RecentBlocks, () => ({ ...make(), keep: () => {} }))))

const frame = '{"filename":"src/billing/Quote.ts","function":"parseQuote","lineno":392,"in_app":true},'

it.live("queued bodies are read unchanged, compressed or not", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pending = yield* PendingPayloads
    const project = yield* Given.project()
    let state = 1
    const noise = (bytes: number) =>
      Uint8Array.from({ length: bytes }, () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        return state >>> 24
      })
    const batches = [
      ["", "short"],
      [frame.repeat(50), frame.repeat(40), "é".repeat(300)],
      [noise(5000)],
      // Larger than the limit of compression.
      [frame.repeat(50_000)],
    ].map((bodies) =>
      bodies.map((body) => ({ ...Factory.payload(project.id), body: Buffer.from(body as Uint8Array) })),
    )
    for (const batch of batches) yield* pending.append(batch)

    const stored = yield* sql<{ part: number }>`
      SELECT length(body)::float8 / block_bytes AS part FROM errata.segments ORDER BY id`
    expect(stored.map(({ part }) => part === 1)).toEqual([false, false, true, true])
    expect(stored[1]!.part).toBeLessThan(0.1)

    const leased = yield* pending.lease({ payloads: 100, bytes: 2 ** 30, duration: Duration.minutes(1) })
    // Compared as strings: comparing millions of bytes one by one is slow.
    const textOf = (body: Uint8Array) => Buffer.from(body).toString("latin1")
    const bodies = leased.map((batch) => batch.payloads.map(({ payload }) => textOf(payload.body)))
    expect(bodies).toEqual(batches.map((batch) => batch.map(({ body }) => textOf(body))))
  }).pipe(Effect.provide(node)),
)

it.live("a damaged segment does not block others, and is recorded after it is restored", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pending = yield* PendingPayloads
    const { id } = yield* Given.project()
    const payload = (text: string) => ({ ...Factory.payload(id), body: Buffer.from(text.repeat(100)) })
    for (const text of ["one", "two", "three"]) yield* pending.append([payload(text)])
    yield* sql`CREATE TABLE errata.backup AS SELECT * FROM errata.segments`
    yield* sql`
      UPDATE errata.segments SET body = '\\xdeadbeef' WHERE id = (SELECT min(id) + 1 FROM errata.segments)`
    const lease = pending.lease({ payloads: 100, bytes: 2 ** 30, duration: Duration.minutes(1) })
    const leased = yield* lease
    const texts = leased.flatMap((batch) =>
      batch.payloads.map(({ payload }) => Buffer.from(payload.body).toString()),
    )
    expect(texts).toEqual(["one".repeat(100), "three".repeat(100)])
    expect((yield* pending.size).payloads).toBe(3)
    // Once the others are recorded, the node is not behind.
    yield* sql`DELETE FROM errata.pending_batches WHERE NOT suspect`
    expect((yield* (yield* HealthStore).work).errorReadySince).toBe(null)

    const endLeases = sql`UPDATE errata.pending_batches SET claimed_until = NULL`
    const suspect = pending.leaseSuspect([Duration.minutes(1)])
    yield* endLeases
    expect(yield* lease).toEqual([])
    expect(Option.isNone(yield* suspect)).toBe(true)
    yield* sql`UPDATE errata.segments AS s SET body = b.body FROM errata.backup AS b WHERE b.id = s.id`
    yield* endLeases
    const [restored] = Option.getOrThrow(yield* suspect).payloads
    expect(Buffer.from(restored!.payload.body).toString()).toBe("two".repeat(100))
  }).pipe(Effect.provide(node)),
)
