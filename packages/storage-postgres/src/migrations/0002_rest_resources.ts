import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** What the REST API keeps beside projects, groups and reports. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    ALTER TABLE errata.projects
      ADD COLUMN error_and_fatal_notifications_only boolean NOT NULL DEFAULT false,
      -- Set on deleted projects of which nothing is left to remove.
      ADD COLUMN purged_at timestamptz`
  // The purge: deleted projects that are not empty yet.
  yield* sql`
    CREATE INDEX projects_to_purge ON errata.projects (id) WHERE deleted_at IS NOT NULL AND purged_at IS NULL`
  // The members of a project.
  yield* sql`CREATE INDEX memberships_project ON errata.memberships (project_id, user_id)`

  yield* sql`
    CREATE TABLE errata.sourcemap_origins (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL REFERENCES errata.projects (id),
      origin text COLLATE "C" NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, id),
      UNIQUE (project_id, origin)
    )`

  yield* sql`
    CREATE TABLE errata.apps (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`
  yield* sql`CREATE UNIQUE INDEX apps_name ON errata.apps (name)`
  yield* sql`ALTER TABLE errata.projects ADD COLUMN app_id bigint REFERENCES errata.apps (id) ON DELETE SET NULL`
  // The projects of an app.
  yield* sql`CREATE INDEX projects_app ON errata.projects (app_id, id) WHERE app_id IS NOT NULL`

  yield* sql`
    CREATE TABLE errata.webhooks (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL REFERENCES errata.projects (id),
      url text NOT NULL,
      events text[] NOT NULL,
      enabled boolean NOT NULL,
      secret text NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, id)
    )`

  yield* sql`
    CREATE TABLE errata.deliveries (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      webhook_id bigint NOT NULL,
      event text NOT NULL,
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed')),
      attempts integer NOT NULL DEFAULT 0,
      response_status integer,
      error text,
      duration_ms integer,
      -- JSON, as it is sent.
      request_body text NOT NULL,
      next_attempt_at timestamptz,
      created_at timestamptz NOT NULL,
      completed_at timestamptz,
      PRIMARY KEY (project_id, id),
      FOREIGN KEY (project_id, webhook_id) REFERENCES errata.webhooks (project_id, id) ON DELETE CASCADE
    )`
  // The list of a webhook's deliveries; their removal with the webhook.
  yield* sql`CREATE INDEX deliveries_webhook ON errata.deliveries (project_id, webhook_id, id)`
  // The list of one kind of event's deliveries.
  yield* sql`CREATE INDEX deliveries_event ON errata.deliveries (project_id, webhook_id, event, id)`
  // The lists of deliveries with and without success, each of which may be few among many.
  yield* sql`
    CREATE INDEX deliveries_with_success ON errata.deliveries (project_id, webhook_id, id)
    WHERE status = 'succeeded'`
  yield* sql`
    CREATE INDEX deliveries_without_success ON errata.deliveries (project_id, webhook_id, id)
    WHERE status <> 'succeeded'`

  yield* sql`
    CREATE TABLE errata.policies (
      name text PRIMARY KEY,
      -- What was set; the configured defaults hold for the rest.
      settings json NOT NULL,
      updated_at timestamptz NOT NULL
    )`

  // Several rows a minute, by connection, for the same reason as in errata.project_counts.
  yield* sql`
    CREATE TABLE errata.ingest_statistics (
      minute timestamptz NOT NULL,
      kind text NOT NULL,
      stripe smallint NOT NULL,
      count bigint NOT NULL,
      PRIMARY KEY (minute, kind, stripe)
    ) WITH (fillfactor = 50)`

  // The group that a note was written on, where a merge has moved it since: what an unmerge gives back.
  yield* sql`ALTER TABLE errata.notes ADD COLUMN origin_group_id bigint`
})
