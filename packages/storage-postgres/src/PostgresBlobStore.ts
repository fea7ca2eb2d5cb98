/** Stores the contents of artifacts in the database. */

import { promisify } from "node:util"
import { gunzip, gzip } from "node:zlib"
import { BlobContent, BlobStore, DiskSpace, DiskUnmeasurable } from "@errata/core/ports"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { named } from "./internal/PgStorageError.js"
import * as Rows from "./internal/Rows.js"
import { boolean, bytea, int8 } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const diskSpace = yield* DiskSpace

  const takenBy = (key: string) =>
    Effect.map(
      sql`
        SELECT sum(octet_length(content))::bigint AS bytes FROM errata.blob_parts
        WHERE sha256 = decode(${key}, 'hex') HAVING count(*) > 0`,
      ([row]) => Option.map(Option.fromNullishOr(row), (found) => bytesRows.read(found).bytes),
    )

  return BlobStore.of({
    put: (key, content) =>
      Effect.gen(function* () {
        const known = yield* takenBy(key)
        if (Option.isSome(known)) return known.value
        const packed = yield* zip(content)
        const isCompressed = packed.byteLength < content.byteLength
        const stored = isCompressed ? packed : Buffer.from(content)
        // In a transaction, so that all parts are stored or none.
        yield* sql.withTransaction(
          Effect.gen(function* () {
            for (let part = 0; part === 0 || part * partBytes < stored.byteLength; part++) {
              yield* sql`
                INSERT INTO errata.blob_parts (sha256, part, is_compressed, content)
                VALUES (decode(${key}, 'hex'), ${part}, ${isCompressed},
                  ${stored.subarray(part * partBytes, (part + 1) * partBytes)})
                ON CONFLICT DO NOTHING`
            }
          }),
        )
        return stored.byteLength
      }).pipe(named("BlobStore.put")),

    get: (key) =>
      Effect.gen(function* () {
        const rows = yield* sql`
          SELECT ${sql.literal(partRows.select())} FROM errata.blob_parts
          WHERE sha256 = decode(${key}, 'hex') ORDER BY part`
        if (rows.length === 0) return Option.none()
        const parts = rows.map(partRows.read)
        const stored = Buffer.concat(parts.map(({ content }) => content))
        return yield* Effect.asSome(BlobContent.open(key, stored, parts[0]!.isCompressed ? unzip : asItIs))
      }).pipe(named("BlobStore.get")),

    remove: (keys) =>
      sql`
        DELETE FROM errata.blob_parts
        WHERE sha256 = ANY (SELECT decode(k, 'hex') FROM unnest(${keys}::text[]) AS k)`.pipe(
        Effect.asVoid,
        named("BlobStore.remove"),
      ),

    // Deleted rows leave free space inside the table, which `statfs` does not count.
    disk: Effect.gen(function* () {
      const use = yield* diskSpace.measure
      const [row] = yield* sql`
        SELECT greatest(0, pg_total_relation_size('errata.blob_parts')
          - (SELECT coalesce(sum(bytes), 0) FROM errata.artifact_blobs))::bigint AS bytes`.pipe(
        Effect.mapError(() => new DiskUnmeasurable({ reason: "the database does not respond" })),
      )
      const { bytes } = bytesRows.read(row!)
      return { ...use, freeBytes: Math.min(use.totalBytes, use.freeBytes + bytes) }
    }),
  })
})

export const layer: Layer.Layer<BlobStore, never, SqlClient.SqlClient | DiskSpace> = Layer.effect(
  BlobStore,
  make,
)

// internal

const partBytes = 4 * 1024 * 1024

const zipAsync = promisify(gzip)
const unzip = promisify(gunzip)
const asItIs = async (content: Uint8Array): Promise<Uint8Array> => content

/** Source maps shrink to a fifth at any level; higher levels take many times longer. */
const zip = (content: Uint8Array) => Effect.promise(() => zipAsync(content, { level: 6 }))

const bytesRows = Rows.make({ bytes: int8() })
const partRows = Rows.make({ isCompressed: boolean, content: bytea })
