/** Releases, with the commits and deploys that build tools report. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const releases = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE errata.releases (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      version text NOT NULL,
      status text NOT NULL DEFAULT 'open',
      ref text,
      url text,
      started_at timestamptz,
      released_at timestamptz,
      first_seen_at timestamptz,
      -- Written again once an hour at most: recording looks the release up in any case.
      last_seen_at timestamptz,
      refs json NOT NULL DEFAULT '[]',
      commits_count integer NOT NULL DEFAULT 0,
      last_commit text,
      -- Whether a build tool has made it, and no event.
      announced boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, id)
    ) WITH (fillfactor = 80)`
  // Unique versions; looked up for each recorded report.
  yield* sql`CREATE UNIQUE INDEX releases_version ON errata.releases (project_id, md5(version))`
  // Newest releases, whose artifacts are kept.
  yield* sql`
    CREATE INDEX releases_newest ON errata.releases (project_id, coalesce(released_at, created_at), id)`
  // Counts the releases that build tools created.
  yield* sql`CREATE INDEX releases_announced ON errata.releases (project_id) WHERE announced`

  yield* sql`
    CREATE TABLE errata.release_commits (
      project_id bigint NOT NULL,
      release_id bigint NOT NULL,
      position integer NOT NULL,
      id text NOT NULL,
      repository text,
      message text,
      author_name text,
      author_email text,
      committed_at timestamptz,
      PRIMARY KEY (project_id, release_id, position)
    )`

  yield* sql`
    CREATE TABLE errata.release_deploys (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      release_id bigint NOT NULL,
      environment text NOT NULL,
      name text,
      url text,
      started_at timestamptz,
      finished_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, release_id, id)
    )`
})
