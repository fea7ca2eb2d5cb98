/** Users, apps, projects and instance-wide settings. Small tables. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const projects = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE errata.users (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL,
      email_address text NOT NULL,
      role text NOT NULL CHECK (role IN ('admin', 'member')),
      active boolean NOT NULL DEFAULT true,
      api_key_hash text,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`
  // Active users have unique addresses.
  yield* sql`CREATE UNIQUE INDEX users_email_address ON errata.users (lower(email_address)) WHERE active`
  // Looks up the user of an API key, for every API call.
  yield* sql`CREATE UNIQUE INDEX users_api_key_hash ON errata.users (api_key_hash) WHERE active`

  yield* sql`
    CREATE TABLE errata.apps (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`
  // App names are unique.
  yield* sql`CREATE UNIQUE INDEX apps_name ON errata.apps (name)`

  yield* sql`
    CREATE TABLE errata.projects (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL,
      -- What an application names it by; null if none has.
      key text,
      -- Made of the name by the same rule wherever it is: databases differ in how they write letters small.
      slug text COLLATE "C" NOT NULL,
      platform text NOT NULL,
      timezone text NOT NULL,
      token text NOT NULL UNIQUE,
      app_id bigint REFERENCES errata.apps (id) ON DELETE SET NULL,
      error_and_fatal_notifications_only boolean NOT NULL DEFAULT false,
      muted_at timestamptz,
      muter_id bigint REFERENCES errata.users (id),
      muted_until timestamptz,
      -- How far the mute has been handed on, so that whoever finds it unfinished goes on: groups with ids above the one,
      -- up to the other, have yet to take it over. Null where none has.
      mute_after bigint,
      mute_last bigint,
      deleted_at timestamptz,
      -- Set on deleted projects of which nothing is left to remove.
      purged_at timestamptz,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`
  // Live projects have unique names.
  yield* sql`CREATE UNIQUE INDEX projects_name ON errata.projects (name) WHERE deleted_at IS NULL`
  // Each application key has at most one live project.
  yield* sql`CREATE UNIQUE INDEX projects_key ON errata.projects (key) WHERE deleted_at IS NULL`
  // Build tools use slugs, which several projects may share.
  yield* sql`
    CREATE INDEX projects_slug ON errata.projects (slug, id) WHERE deleted_at IS NULL AND slug <> ''`
  // Projects of an app.
  yield* sql`CREATE INDEX projects_app ON errata.projects (app_id, id) WHERE app_id IS NOT NULL`
  // Mutes that are not fully applied to groups yet.
  yield* sql`CREATE INDEX projects_unfinished_mutes ON errata.projects (id) WHERE mute_last IS NOT NULL`
  // Deleted projects that are not purged yet.
  yield* sql`
    CREATE INDEX projects_to_purge ON errata.projects (id) WHERE deleted_at IS NOT NULL AND purged_at IS NULL`

  yield* sql`
    CREATE TABLE errata.memberships (
      user_id bigint NOT NULL REFERENCES errata.users (id),
      project_id bigint NOT NULL REFERENCES errata.projects (id),
      PRIMARY KEY (user_id, project_id)
    )`
  // Members of a project.
  yield* sql`CREATE INDEX memberships_project ON errata.memberships (project_id, user_id)`

  // Striped by connection: with one row per project, concurrent recorders would contend for its lock.
  yield* sql`
    CREATE TABLE errata.project_counts (
      project_id bigint NOT NULL,
      stripe smallint NOT NULL,
      groups_count bigint NOT NULL,
      reports_count bigint NOT NULL,
      -- When reports were recorded; null where none was.
      first_report_at timestamptz,
      last_report_at timestamptz,
      PRIMARY KEY (project_id, stripe)
    ) WITH (fillfactor = 50)`
  // Last contact of applications. In its own table, because the project's row is locked while groups are created.
  yield* sql`
    CREATE TABLE errata.project_contacts (
      project_id bigint PRIMARY KEY,
      last_contact_at timestamptz NOT NULL
    ) WITH (fillfactor = 50)`

  yield* sql`
    CREATE TABLE errata.discarded_events (
      project_id bigint NOT NULL,
      day date NOT NULL,
      reason text NOT NULL,
      category text NOT NULL,
      quantity bigint NOT NULL,
      PRIMARY KEY (project_id, day, reason, category)
    )`

  // The unique key also serves the lookup of a project's origins.
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
    CREATE TABLE errata.policies (
      name text PRIMARY KEY,
      -- What was set; the configured defaults hold for the rest.
      settings json NOT NULL,
      updated_at timestamptz NOT NULL
    )`

  // Striped by connection, like errata.project_counts.
  yield* sql`
    CREATE TABLE errata.ingest_statistics (
      minute timestamptz NOT NULL,
      kind text NOT NULL,
      stripe smallint NOT NULL,
      count bigint NOT NULL,
      PRIMARY KEY (minute, kind, stripe)
    ) WITH (fillfactor = 50)`
})
