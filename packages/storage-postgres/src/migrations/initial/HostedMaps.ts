/** Fetched source maps. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const hostedMaps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE errata.hosted_maps (
      project_id bigint NOT NULL,
      -- SHA-256 of the script's address, which may be longer than what an index can have.
      script bytea NOT NULL,
      -- Another one whenever somebody begins to look: results under an earlier one are of somebody who came too late.
      claim bigint GENERATED ALWAYS AS IDENTITY,
      -- Until when the claim holds while neither a map nor a reason is there, and until when that holds which is.
      ends_at timestamptz NOT NULL,
      -- All that were asked on the way.
      origins text[] NOT NULL DEFAULT '{}',
      -- Why there is no map.
      code text,
      url text,
      -- Compressed already.
      map bytea,
      -- Bytes of the map before it was compressed.
      size bigint NOT NULL DEFAULT 0,
      PRIMARY KEY (project_id, script)
    )`
  yield* sql`ALTER TABLE errata.hosted_maps ALTER COLUMN map SET STORAGE EXTERNAL`
  yield* sql`CREATE INDEX hosted_maps_end ON errata.hosted_maps (ends_at)`
})
