/** What build tools upload. See docs/decisions/026-artifacts.md. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const artifacts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Pieces on their way to become a bundle. Owner 0 is the system.
  yield* sql`
    CREATE TABLE errata.artifact_chunks (
      owner_id bigint NOT NULL,
      sha1 text COLLATE "C" NOT NULL,
      content bytea NOT NULL,
      size integer NOT NULL,
      put_at timestamptz NOT NULL,
      -- Null until a bundle was made of it.
      settled_at timestamptz,
      PRIMARY KEY (owner_id, sha1)
    )`
  // They are compressed already, nearly always.
  yield* sql`ALTER TABLE errata.artifact_chunks ALTER COLUMN content SET STORAGE EXTERNAL`
  // How much of an owner waits.
  yield* sql`
    CREATE INDEX artifact_chunks_open ON errata.artifact_chunks (owner_id) INCLUDE (size) WHERE settled_at IS NULL`
  // What is to be dropped.
  yield* sql`CREATE INDEX artifact_chunks_put ON errata.artifact_chunks (put_at)`
  yield* sql`
    CREATE INDEX artifact_chunks_settled ON errata.artifact_chunks (settled_at) WHERE settled_at IS NOT NULL`

  // Who assembles a bundle at this moment.
  yield* sql`
    CREATE TABLE errata.artifact_leases (
      owner_id bigint NOT NULL,
      checksum text COLLATE "C" NOT NULL,
      holder text NOT NULL,
      leased_until timestamptz NOT NULL,
      PRIMARY KEY (owner_id, checksum)
    )`

  yield* sql`
    CREATE TABLE errata.artifact_bundles (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      kind text NOT NULL CHECK (kind IN ('bundle', 'release_file', 'debug_file')),
      state text NOT NULL CHECK (state IN ('ok', 'failed')),
      -- SHA-1, in hexadecimal.
      checksum text COLLATE "C" NOT NULL,
      size bigint NOT NULL,
      files_count integer NOT NULL,
      name text,
      note text,
      detail text,
      uploaded_by bigint,
      created_at timestamptz NOT NULL,
      uploaded_at timestamptz NOT NULL,
      last_used_at timestamptz,
      PRIMARY KEY (project_id, id)
    )`
  // A bundle is there once, whatever it belongs to, and failed once; the same file may be one of several releases.
  yield* sql`
    CREATE UNIQUE INDEX artifact_bundles_checksum ON errata.artifact_bundles (project_id, checksum, kind)
    WHERE state = 'ok' AND kind <> 'release_file'`
  yield* sql`
    CREATE UNIQUE INDEX artifact_bundles_failed ON errata.artifact_bundles (project_id, checksum, kind)
    WHERE state = 'failed'`
  // What failed long ago, of all projects.
  yield* sql`
    CREATE INDEX artifact_bundles_failed_at ON errata.artifact_bundles (uploaded_at) WHERE state = 'failed'`
  // What was of no use for the longest time, of all projects.
  yield* sql`
    CREATE INDEX artifact_bundles_age ON errata.artifact_bundles (greatest(uploaded_at, last_used_at))
    WHERE state = 'ok'`

  // An empty release, or dist, is none.
  yield* sql`
    CREATE TABLE errata.artifact_links (
      project_id bigint NOT NULL,
      bundle_id bigint NOT NULL,
      release text COLLATE "C" NOT NULL,
      dist text COLLATE "C" NOT NULL,
      -- When it was uploaded for it last.
      linked_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, bundle_id, release, dist)
    )`
  // The bundles of a release, the latest first.
  yield* sql`
    CREATE INDEX artifact_links_release ON errata.artifact_links (project_id, release, dist, linked_at DESC, bundle_id)`

  yield* sql`
    CREATE TABLE errata.artifact_files (
      project_id bigint NOT NULL,
      bundle_id bigint NOT NULL,
      position integer NOT NULL,
      type text NOT NULL,
      url text,
      debug_id uuid,
      map_reference text,
      size bigint NOT NULL,
      -- SHA-256 of the content.
      blob bytea NOT NULL,
      PRIMARY KEY (project_id, bundle_id, position)
    )`
  // Files by debug id, those of the newest bundle first.
  yield* sql`
    CREATE INDEX artifact_files_debug_id ON errata.artifact_files (project_id, debug_id, bundle_id DESC, position)
    WHERE debug_id IS NOT NULL`
  // A file of a bundle by its name, which may be longer than an index takes.
  yield* sql`
    CREATE INDEX artifact_files_url ON errata.artifact_files (project_id, bundle_id, hashtextextended(url, 0))
    WHERE url IS NOT NULL`
  // Whether a content is needed.
  yield* sql`CREATE INDEX artifact_files_blob ON errata.artifact_files (blob)`

  // Ids that lead to a file where no file has them as its own.
  yield* sql`
    CREATE TABLE errata.artifact_file_ids (
      project_id bigint NOT NULL,
      debug_id uuid NOT NULL,
      bundle_id bigint NOT NULL,
      position integer NOT NULL,
      PRIMARY KEY (project_id, debug_id, bundle_id, position)
    )`
  // Their removal with the bundle.
  yield* sql`CREATE INDEX artifact_file_ids_bundle ON errata.artifact_file_ids (project_id, bundle_id)`

  // What is known of contents, wherever they are kept. They are of all projects: the same library is in many of them.
  yield* sql`
    CREATE TABLE errata.artifact_blobs (
      sha256 bytea PRIMARY KEY,
      -- That it takes where it is kept; 0 until it is.
      bytes bigint NOT NULL DEFAULT 0,
      announced_at timestamptz NOT NULL,
      -- When somebody took it to remove it.
      taken_at timestamptz
    )`
  // What may be removed.
  yield* sql`CREATE INDEX artifact_blobs_announced ON errata.artifact_blobs (announced_at) WHERE taken_at IS NULL`
  yield* sql`CREATE INDEX artifact_blobs_taken ON errata.artifact_blobs (taken_at) WHERE taken_at IS NOT NULL`

  // The contents themselves, where the database keeps them: in parts, so that no row is larger than a message should be.
  yield* sql`
    CREATE TABLE errata.blob_parts (
      sha256 bytea NOT NULL,
      part integer NOT NULL,
      -- Of all parts together.
      is_compressed boolean NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (sha256, part)
    )`
  yield* sql`ALTER TABLE errata.blob_parts ALTER COLUMN content SET STORAGE EXTERNAL`
})
