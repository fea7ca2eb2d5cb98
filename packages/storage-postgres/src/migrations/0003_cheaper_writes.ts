import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** What makes accepting and recording cheaper; see `internal/TagCounts.ts` and `internal/Lz4.ts`. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Counts of tag values that `group_tags` has rows for, one row a batch, until they are added up there. No index: all
  // of it is read, and all that is read is deleted.
  yield* sql`
    CREATE TABLE errata.uncounted_tags (
      -- JSON, see TagCounts.ts
      counts text NOT NULL
    )`
  // It lives for seconds: not worth the compression.
  yield* sql`ALTER TABLE errata.uncounted_tags ALTER COLUMN counts SET STORAGE EXTERNAL`

  // The same hash as before, in words that become part of the statement that calls it: a call of the function cost twice
  // as much as the hash. For that it must not be strict, nor less than immutable inside (`||` of a number is).
  yield* sql`
    CREATE OR REPLACE FUNCTION errata.tag_hash(key text, value text) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN md5(length(key)::text || ':' || key || value)::uuid`

  // Documents and queued bodies arrive compressed: the database is not to try once more.
  yield* sql`
    ALTER TABLE errata.reports
      -- JSON in the form of Documents.ts; null once retention has dropped it.
      ALTER COLUMN details TYPE bytea USING convert_to(details, 'UTF8'),
      ALTER COLUMN details SET STORAGE EXTERNAL`
  yield* sql`
    ALTER TABLE errata.pending_batches
      -- Whether the body is an LZ4 block, of as many bytes uncompressed as the row says.
      ADD COLUMN compressed boolean NOT NULL DEFAULT false,
      ALTER COLUMN body SET STORAGE EXTERNAL`
})
