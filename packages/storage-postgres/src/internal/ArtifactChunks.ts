/** Chunks of uploads, and the leases of their assembly. */
import type { ArtifactStore } from "@errata/core/ports"
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { byIndex } from "./ByIndex.js"
import { named } from "./PgStorageError.js"
import { interval, toDate } from "./PgTime.js"
import * as Rows from "./Rows.js"
import { bytea, int4, int8, text } from "./SqlType.js"

export const make = (sql: SqlClient.SqlClient) =>
  ({
    putChunk: (owner, { content, sha1 }, now) =>
      sql`
        INSERT INTO errata.artifact_chunks (owner_id, sha1, content, size, put_at)
        VALUES (${owner ?? system}, ${sha1}, ${Buffer.from(content.buffer, content.byteOffset, content.byteLength)},
          ${content.byteLength}, ${toDate(now)})
        ON CONFLICT (owner_id, sha1) DO UPDATE SET put_at = excluded.put_at, settled_at = NULL`.pipe(
        Effect.asVoid,
        named("ArtifactStore.putChunk"),
      ),

    findChunks: (owner, sha1s) =>
      sql`
        SELECT ${sql.literal(sizeRows.select())} FROM errata.artifact_chunks
        WHERE owner_id = ${owner ?? system} AND sha1 = ANY (${[...new Set(sha1s)]}::text[])`.pipe(
        Effect.map((rows) => rows.map(sizeRows.read)),
        named("ArtifactStore.findChunks"),
      ),

    readChunk: (owner, sha1) =>
      sql`
        SELECT content FROM errata.artifact_chunks WHERE owner_id = ${owner ?? system} AND sha1 = ${sha1}`.pipe(
        Effect.map(([row]) =>
          Option.map(Option.fromNullishOr(row), (found) => contentRows.read(found).content),
        ),
        named("ArtifactStore.readChunk"),
      ),

    openBytes: (owner) =>
      sql`
        SELECT coalesce(sum(size), 0)::bigint AS bytes FROM errata.artifact_chunks
        WHERE owner_id = ${owner ?? system} AND settled_at IS NULL`.pipe(
        Effect.map(([row]) => bytesRows.read(row!).bytes),
        named("ArtifactStore.openBytes"),
      ),

    settleChunks: (owner, sha1s, now) =>
      sql`
        UPDATE errata.artifact_chunks SET settled_at = ${toDate(now)}
        WHERE owner_id = ${owner ?? system} AND sha1 = ANY (${[...new Set(sha1s)]}::text[])`.pipe(
        Effect.asVoid,
        named("ArtifactStore.settleChunks"),
      ),

    removeStaleChunks: (before, limit) =>
      Effect.gen(function* () {
        yield* sql`DELETE FROM errata.artifact_leases WHERE leased_until < errata.now() - INTERVAL '1 hour'`
        const isStale = sql`(put_at < ${toDate(before.put)} OR settled_at < ${toDate(before.settled)})`
        const removed = yield* sql`
          DELETE FROM errata.artifact_chunks WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM errata.artifact_chunks WHERE ${isStale} LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )) RETURNING 1`
        return removed.length
      }).pipe(byIndex(sql), named("ArtifactStore.removeStaleChunks")),

    leaseAssembly: (owner, checksum, holder, duration) =>
      sql`
        INSERT INTO errata.artifact_leases AS l (owner_id, checksum, holder, leased_until)
        VALUES (${owner ?? system}, ${checksum}, ${holder}, errata.now() + ${interval(duration)}::interval)
        ON CONFLICT (owner_id, checksum) DO UPDATE
        SET holder = excluded.holder, leased_until = excluded.leased_until
        WHERE l.holder = excluded.holder OR l.leased_until <= errata.now()
        RETURNING 1`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("ArtifactStore.leaseAssembly"),
      ),

    releaseAssembly: (owner, checksum, holder) =>
      sql`
        DELETE FROM errata.artifact_leases
        WHERE owner_id = ${owner ?? system} AND checksum = ${checksum} AND holder = ${holder}`.pipe(
        Effect.asVoid,
        named("ArtifactStore.releaseAssembly"),
      ),
  }) satisfies Partial<ArtifactStore["Service"]>

// internal

/** Owner of chunks that no user uploaded. */
const system = 0

const sizeRows = Rows.make({ sha1: text(), size: int4() })
const contentRows = Rows.make({ content: bytea })
const bytesRows = Rows.make({ bytes: int8() })
