/** Registers the contents in all blob stores, and finds those that no file uses. */

import type { ArtifactStore, StoredBlob } from "@errata/core/ports"
import { type DateTime, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import * as Batch from "./Batch.js"
import * as Buckets from "./Buckets.js"
import { byIndex } from "./ByIndex.js"
import { named } from "./PgStorageError.js"
import { toDate } from "./PgTime.js"
import * as Rows from "./Rows.js"
import { int8, text } from "./SqlType.js"

type Register = Pick<
  ArtifactStore["Service"],
  "announceBlobs" | "storedBlobs" | "takeUnneeded" | "forgetBlobs" | "blobBytes"
>

export const make = (sql: SqlClient.SqlClient): Register => ({
  announceBlobs: (keys, now) =>
    sql`
      INSERT INTO errata.artifact_blobs AS b (sha256, announced_at)
      SELECT decode(k, 'hex'), ${toDate(now)} FROM unnest(${[...new Set(keys)].sort()}::text[]) AS k
      ON CONFLICT (sha256) DO UPDATE SET announced_at = excluded.announced_at WHERE b.taken_at IS NULL
      RETURNING encode(sha256, 'hex') AS key`.pipe(
      Effect.map((rows) => {
        const announced = new Set(rows.map((row) => keyRows.read(row).key))
        return keys.filter((key) => !announced.has(key))
      }),
      named("ArtifactStore.announceBlobs"),
    ),

  storedBlobs: (blobs) =>
    sql`
      UPDATE errata.artifact_blobs AS b SET bytes = c.bytes
      FROM ${stored.rows(sql, blobs)} WHERE b.sha256 = decode(c.key, 'hex') AND b.bytes <> c.bytes`.pipe(
      Effect.asVoid,
      named("ArtifactStore.storedBlobs"),
    ),

  takeUnneeded: (before, abandoned, now, limit) =>
    Effect.gen(function* () {
      const isOld = sql`o.taken_at IS NULL AND o.announced_at < ${toDate(before)}`
      const isUnneeded =
        (yield* Buckets.detect(sql)) > 0
          ? sql`${isOld} AND ${keyIsAmong(sql, yield* unneededInBuckets(sql, isOld, limit))}`
          : sql`${isOld} AND NOT EXISTS (SELECT FROM errata.artifact_files AS f WHERE f.blob = o.sha256)`
      const unneeded = yield* take(sql, sql`${isUnneeded} ORDER BY o.announced_at`, now, limit)
      if (unneeded.length === limit) return unneeded
      const isLeft = sql`o.taken_at < ${toDate(abandoned)}`
      const left = yield* take(sql, sql`${isLeft} ORDER BY o.taken_at`, now, limit - unneeded.length)
      return [...unneeded, ...left]
    }).pipe(byIndex(sql), named("ArtifactStore.takeUnneeded")),

  forgetBlobs: (keys) =>
    sql`
      DELETE FROM errata.artifact_blobs WHERE taken_at IS NOT NULL
        AND sha256 = ANY (SELECT decode(k, 'hex') FROM unnest(${keys}::text[]) AS k)`.pipe(
      Effect.asVoid,
      named("ArtifactStore.forgetBlobs"),
    ),

  blobBytes: Effect.flatMap(Buckets.detect(sql), (count) =>
    count > 0 ? bytesInBuckets(sql) : bytes(sql),
  ).pipe(named("ArtifactStore.blobBytes")),
})

// internal

const bytes = (sql: SqlClient.SqlClient) =>
  sql`
    SELECT coalesce(sum(b.bytes), 0)::bigint AS stored,
      coalesce(sum(b.bytes) FILTER (
        WHERE EXISTS (SELECT FROM errata.artifact_files AS f WHERE f.blob = b.sha256)), 0)::bigint AS needed
    FROM errata.artifact_blobs AS b`.pipe(Effect.map(([row]) => bytesRows.read(row!)))

const keyIsAmong = (sql: SqlClient.SqlClient, keys: ReadonlyArray<string>) =>
  sql`o.sha256 = ANY (ARRAY(SELECT decode(k, 'hex') FROM unnest(${keys}::text[]) AS k))`

/** Returns the next contents after a key, and which of them a file in any bucket uses. */
const nextInBuckets = (sql: SqlClient.SqlClient, where: Statement.Fragment, after: string) =>
  Effect.gen(function* () {
    const rows = yield* sql`
      SELECT encode(o.sha256, 'hex') AS key, o.bytes FROM errata.artifact_blobs AS o
      WHERE o.sha256 > decode(${after}, 'hex') AND ${where} ORDER BY o.sha256 LIMIT ${lookedAtTogether}`
    const found = rows.map(blobRows.read)
    const keys = found.map(({ key }) => key)
    const needed = yield* Buckets.inEach(
      sql,
      sql`
        SELECT DISTINCT encode(f.blob, 'hex') AS key FROM errata.artifact_files AS f
        WHERE f.blob = ANY (ARRAY(SELECT decode(k, 'hex') FROM unnest(${keys}::text[]) AS k))`,
    )
    return { found, needed: new Set(needed.flat().map((row) => keyRows.read(row).key)) }
  })

/** Safe against races: a later announcement changes `announced_at`, which the claiming statement checks again. */
const unneededInBuckets = (sql: SqlClient.SqlClient, where: Statement.Fragment, limit: number) =>
  Effect.gen(function* () {
    const unneeded: Array<string> = []
    for (let after: string | undefined = ""; after !== undefined && unneeded.length < limit; ) {
      const { found, needed }: LookedAt = yield* nextInBuckets(sql, where, after)
      for (const { key } of found) if (!needed.has(key)) unneeded.push(key)
      after = found.at(-1)?.key
    }
    return unneeded
  })

const bytesInBuckets = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const sum = { stored: 0, needed: 0 }
  for (let after: string | undefined = ""; after !== undefined; ) {
    const { found, needed }: LookedAt = yield* nextInBuckets(sql, sql`true`, after)
    for (const { bytes, key } of found) {
      sum.stored += bytes
      if (needed.has(key)) sum.needed += bytes
    }
    after = found.at(-1)?.key
  }
  return sum
})

const lookedAtTogether = 1000

interface LookedAt {
  readonly found: ReadonlyArray<{ readonly key: string; readonly bytes: number }>
  readonly needed: ReadonlySet<string>
}

/** Claims contents for removal. Row locks serialize this with announcements of the same content. */
const take = (sql: SqlClient.SqlClient, which: Statement.Fragment, now: DateTime.Utc, limit: number) =>
  Effect.map(
    sql`
      UPDATE errata.artifact_blobs AS b SET taken_at = ${toDate(now)}
      WHERE b.sha256 = ANY (ARRAY(
        SELECT o.sha256 FROM errata.artifact_blobs AS o WHERE ${which} LIMIT ${limit} FOR UPDATE SKIP LOCKED))
      RETURNING encode(b.sha256, 'hex') AS key`,
    (rows) => rows.map((row) => keyRows.read(row).key),
  )

const keyRows = Rows.make({ key: text() })
const blobRows = Rows.make({ key: text(), bytes: int8() })
const bytesRows = Rows.make({ stored: int8(), needed: int8() })

const stored = Batch.ofFields<StoredBlob>({ key: text(), bytes: int8() })
