/** Alert rules, their states, limits, and mail settings of members. */

import { firstRule, isMeasured } from "@errata/core"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const alerts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A few per project. Default rules have no project.
  yield* sql`
    CREATE TABLE errata.alert_rules (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      project_id bigint REFERENCES errata.projects (id),
      name text NOT NULL,
      enabled boolean NOT NULL,
      -- As in AlertRule.ts.
      triggers json NOT NULL,
      filter json NOT NULL,
      receivers json NOT NULL,
      repeat_minutes integer NOT NULL,
      -- Whether one of its conditions is an event of a group, and whether one is measured.
      has_events boolean NOT NULL,
      has_measured boolean NOT NULL,
      created_at timestamptz NOT NULL DEFAULT errata.now(),
      updated_at timestamptz NOT NULL DEFAULT errata.now()
    )`
  // Rules of a project, and default rules.
  yield* sql`CREATE INDEX alert_rules_project ON errata.alert_rules (project_id, id)`
  const { enabled, filter, name, receivers, repeatMinutes, triggers } = firstRule
  const values = [name, ...[triggers, filter, receivers].map((part) => JSON.stringify(part))].map(quoted)
  // Without parameters, because the migration can be printed as SQL.
  yield* sql`
    INSERT INTO errata.alert_rules
      (name, triggers, filter, receivers, enabled, repeat_minutes, has_events, has_measured)
    VALUES (${sql.literal(values.join(", "))}, ${sql.literal(String(enabled))}, ${sql.literal(String(repeatMinutes))},
      ${sql.literal(String(!triggers.every(isMeasured)))}, ${sql.literal(String(triggers.some(isMeasured)))})`

  // No foreign key, which would need an index by rule. Statements that write states lock their rules instead.
  yield* sql`
    CREATE TABLE errata.alert_states (
      project_id bigint NOT NULL,
      rule_id bigint NOT NULL,
      -- 0 for the project as a whole.
      group_id bigint NOT NULL,
      -- Null before the first notification.
      notified_at timestamptz,
      firing boolean NOT NULL DEFAULT false,
      PRIMARY KEY (project_id, rule_id, group_id)
    ) WITH (fillfactor = 80)`
  // Firing states, which are few.
  yield* sql`CREATE INDEX alert_states_firing ON errata.alert_states (project_id) WHERE firing`
  // Expiry of old states.
  yield* sql`
    CREATE INDEX alert_states_old ON errata.alert_states (coalesce(notified_at, '-infinity')) WHERE NOT firing`

  yield* sql`
    CREATE TABLE errata.notification_windows (
      project_id bigint NOT NULL,
      -- 0 for the project as a whole.
      target_id bigint NOT NULL,
      starts_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL,
      sent bigint NOT NULL,
      held bigint NOT NULL,
      -- How many of the last count may be sent.
      granted bigint NOT NULL,
      PRIMARY KEY (project_id, target_id, starts_at)
    ) WITH (fillfactor = 50)`
  // Expired windows.
  yield* sql`CREATE INDEX notification_windows_end ON errata.notification_windows (ends_at)`

  yield* sql`
    CREATE TABLE errata.member_mail (
      project_id bigint NOT NULL,
      user_id bigint NOT NULL,
      mode text NOT NULL,
      digest text NOT NULL,
      -- The end of the last digest's period; null without digests.
      digest_at timestamptz,
      PRIMARY KEY (project_id, user_id)
    ) WITH (fillfactor = 80)`
  // Members with digests.
  yield* sql`
    CREATE INDEX member_mail_digests ON errata.member_mail (project_id, user_id) WHERE digest <> 'never'`

  // Independent of projects.
  yield* sql`
    CREATE TABLE errata.paused_addresses (
      address text COLLATE "C" PRIMARY KEY,
      detail text NOT NULL,
      paused_at timestamptz NOT NULL
    )`
})

// internal

/** Quotes a constant as an SQL literal. */
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
