/** Which contents there are, wherever they are kept, and which of them nobody needs. */

import type { ArtifactStore, StoredBlob } from "@errata/core/ports"
import { type DateTime, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import * as Batch from "./Batch.js"
import { byIndex } from "./ByIndex.js"
import * as PgLiteral from "./PgLiteral.js"
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
      SELECT decode(k, 'hex'), ${toDate(now)} FROM unnest(${PgLiteral.texts([...new Set(keys)].sort())}::text[]) AS k
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
      const isUnneeded = sql`o.taken_at IS NULL AND o.announced_at < ${toDate(before)}
        AND NOT EXISTS (SELECT FROM errata.artifact_files AS f WHERE f.blob = o.sha256)`
      const unneeded = yield* take(sql, sql`${isUnneeded} ORDER BY o.announced_at`, now, limit)
      if (unneeded.length === limit) return unneeded
      const isLeft = sql`o.taken_at < ${toDate(abandoned)}`
      const left = yield* take(sql, sql`${isLeft} ORDER BY o.taken_at`, now, limit - unneeded.length)
      return [...unneeded, ...left]
    }).pipe(byIndex(sql), named("ArtifactStore.takeUnneeded")),

  forgetBlobs: (keys) =>
    sql`
      DELETE FROM errata.artifact_blobs WHERE taken_at IS NOT NULL
        AND sha256 = ANY (SELECT decode(k, 'hex') FROM unnest(${PgLiteral.texts(keys)}::text[]) AS k)`.pipe(
      Effect.asVoid,
      named("ArtifactStore.forgetBlobs"),
    ),

  blobBytes: sql`
    SELECT coalesce(sum(b.bytes), 0)::bigint AS stored,
      coalesce(sum(b.bytes) FILTER (
        WHERE EXISTS (SELECT FROM errata.artifact_files AS f WHERE f.blob = b.sha256)), 0)::bigint AS needed
    FROM errata.artifact_blobs AS b`.pipe(
    Effect.map(([row]) => bytesRows.read(row!)),
    named("ArtifactStore.blobBytes"),
  ),
})

// internal

/** Under the locks of their rows, so that whoever announces one of them comes before or after. */
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
const bytesRows = Rows.make({ stored: int8(), needed: int8() })

const stored = Batch.ofFields<StoredBlob>({ key: text(), bytes: int8() })
