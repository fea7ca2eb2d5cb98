/** Artifacts uploaded by build tools. See docs/decisions/026-artifacts.md. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const artifacts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Chunks of bundles that are being uploaded. Owner 0 is the system.
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
  // Chunks are usually compressed already.
  yield* sql`ALTER TABLE errata.artifact_chunks ALTER COLUMN content SET STORAGE EXTERNAL`
  // Size of an owner's open chunks.
  yield* sql`
    CREATE INDEX artifact_chunks_open ON errata.artifact_chunks (owner_id) INCLUDE (size) WHERE settled_at IS NULL`
  // Cleanup of old chunks.
  yield* sql`CREATE INDEX artifact_chunks_put ON errata.artifact_chunks (put_at)`
  yield* sql`
    CREATE INDEX artifact_chunks_settled ON errata.artifact_chunks (settled_at) WHERE settled_at IS NOT NULL`

  // Leases on bundles that are being assembled.
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
  // Each bundle exists at most once, and failed at most once. A release file may belong to several releases.
  yield* sql`
    CREATE UNIQUE INDEX artifact_bundles_checksum ON errata.artifact_bundles (project_id, checksum, kind)
    WHERE state = 'ok' AND kind <> 'release_file'`
  yield* sql`
    CREATE UNIQUE INDEX artifact_bundles_failed ON errata.artifact_bundles (project_id, checksum, kind)
    WHERE state = 'failed'`
  // Old failed bundles of all projects.
  yield* sql`
    CREATE INDEX artifact_bundles_failed_at ON errata.artifact_bundles (uploaded_at) WHERE state = 'failed'`
  // Bundles of all projects by last use.
  yield* sql`
    CREATE INDEX artifact_bundles_age ON errata.artifact_bundles (greatest(uploaded_at, last_used_at))
    WHERE state = 'ok'`

  // An empty string means no release, or no dist.
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
  // Bundles of a release, newest first.
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
  // Files by debug id, newest bundle first.
  yield* sql`
    CREATE INDEX artifact_files_debug_id ON errata.artifact_files (project_id, debug_id, bundle_id DESC, position)
    WHERE debug_id IS NOT NULL`
  // Files of a bundle by URL. Hashed, because URLs can exceed the size limit of index entries.
  yield* sql`
    CREATE INDEX artifact_files_url ON errata.artifact_files (project_id, bundle_id, hashtextextended(url, 0))
    WHERE url IS NOT NULL`
  // Checks whether a content is used.
  yield* sql`CREATE INDEX artifact_files_blob ON errata.artifact_files (blob)`

  // Further debug ids of files, used if no file has the id as its own.
  yield* sql`
    CREATE TABLE errata.artifact_file_ids (
      project_id bigint NOT NULL,
      debug_id uuid NOT NULL,
      bundle_id bigint NOT NULL,
      position integer NOT NULL,
      PRIMARY KEY (project_id, debug_id, bundle_id, position)
    )`
  // Deletes the ids of a bundle.
  yield* sql`CREATE INDEX artifact_file_ids_bundle ON errata.artifact_file_ids (project_id, bundle_id)`

  // Metadata of contents, in any blob store. Shared by all projects, because many use the same libraries.
  yield* sql`
    CREATE TABLE errata.artifact_blobs (
      sha256 bytea PRIMARY KEY,
      -- That it takes where it is kept; 0 until it is.
      bytes bigint NOT NULL DEFAULT 0,
      announced_at timestamptz NOT NULL,
      -- When somebody took it to remove it.
      taken_at timestamptz
    )`
  // Contents that can be removed.
  yield* sql`CREATE INDEX artifact_blobs_announced ON errata.artifact_blobs (announced_at) WHERE taken_at IS NULL`
  yield* sql`CREATE INDEX artifact_blobs_taken ON errata.artifact_blobs (taken_at) WHERE taken_at IS NOT NULL`

  // Contents in the database, split into parts to limit the size of rows and messages.
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
