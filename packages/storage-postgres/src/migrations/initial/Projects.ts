/** Who may do what, projects, and what is set for the whole instance. Small tables. */

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
  // An address is one active user's.
  yield* sql`CREATE UNIQUE INDEX users_email_address ON errata.users (lower(email_address)) WHERE active`
  // Every API call: who has this key?
  yield* sql`CREATE UNIQUE INDEX users_api_key_hash ON errata.users (api_key_hash) WHERE active`

  yield* sql`
    CREATE TABLE errata.apps (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`
  // A name is one app's.
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
  // A name is one live project's; looking a project up by its name.
  yield* sql`CREATE UNIQUE INDEX projects_name ON errata.projects (name) WHERE deleted_at IS NULL`
  // An application has one live project.
  yield* sql`CREATE UNIQUE INDEX projects_key ON errata.projects (key) WHERE deleted_at IS NULL`
  // Build tools name projects by the slugs of their names, which several may have.
  yield* sql`
    CREATE INDEX projects_slug ON errata.projects (slug, id) WHERE deleted_at IS NULL AND slug <> ''`
  // The projects of an app.
  yield* sql`CREATE INDEX projects_app ON errata.projects (app_id, id) WHERE app_id IS NOT NULL`
  // Mutes that whoever began to hand them on has left unfinished.
  yield* sql`CREATE INDEX projects_unfinished_mutes ON errata.projects (id) WHERE mute_last IS NOT NULL`
  // The purge: deleted projects that are not empty yet.
  yield* sql`
    CREATE INDEX projects_to_purge ON errata.projects (id) WHERE deleted_at IS NOT NULL AND purged_at IS NULL`

  yield* sql`
    CREATE TABLE errata.memberships (
      user_id bigint NOT NULL REFERENCES errata.users (id),
      project_id bigint NOT NULL REFERENCES errata.projects (id),
      PRIMARY KEY (user_id, project_id)
    )`
  // The members of a project.
  yield* sql`CREATE INDEX memberships_project ON errata.memberships (project_id, user_id)`

  // Several rows a project, by connection: one row would make the recorders of a project wait for one another.
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
  // When applications called last. Apart from the project, whose row is locked while its groups are created.
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

  // The unique key is what a project's origins are looked up by.
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

  // Several rows a minute, by connection, for the same reason as in errata.project_counts.
  yield* sql`
    CREATE TABLE errata.ingest_statistics (
      minute timestamptz NOT NULL,
      kind text NOT NULL,
      stripe smallint NOT NULL,
      count bigint NOT NULL,
      PRIMARY KEY (minute, kind, stripe)
    ) WITH (fillfactor = 50)`
})
