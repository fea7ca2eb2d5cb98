/** Targets, including webhooks, with their deliveries, and the outbox. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const targets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE errata.targets (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL REFERENCES errata.projects (id),
      -- 'webhook', 'members', or that of a NotificationTarget.
      kind text NOT NULL,
      name text NOT NULL DEFAULT '',
      enabled boolean NOT NULL,
      -- Webhooks alone have these two.
      url text,
      events text[],
      -- The fields that are no secrets. Webhooks have none.
      address json NOT NULL DEFAULT '{}',
      -- Sealed; see SealedSecret.ts. Null where the address has no secret fields.
      secret text,
      quiet_hours json,
      -- Since when every message has failed; null if the last one arrived.
      failing_since timestamptz,
      -- Why Errata disabled it; null if a person did.
      disabled_reason text,
      created_by bigint,
      -- When something of it was taken to be sent, up to half a minute later: what waits is not forgotten then.
      attended_at timestamptz,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, id),
      CHECK (kind <> 'webhook' OR url IS NOT NULL AND events IS NOT NULL AND secret IS NOT NULL)
    )`
  // At most one target per project represents its members.
  yield* sql`CREATE UNIQUE INDEX targets_members ON errata.targets (project_id) WHERE kind = 'members'`
  // Targets that have been failing. Few.
  yield* sql`
    CREATE INDEX targets_failing ON errata.targets (failing_since) WHERE enabled AND failing_since IS NOT NULL`

  yield* sql`
    CREATE TABLE errata.deliveries (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      target_id bigint NOT NULL,
      -- Whether it goes to a target other than a webhook.
      is_notification boolean NOT NULL DEFAULT false,
      -- Null for what a person asked to be sent, and for summaries and digests.
      group_id bigint,
      event text NOT NULL,
      -- The rule that caused it.
      rule_id bigint,
      -- The person who gets it, for messages to members.
      user_id bigint,
      -- The mail address that gets it, for targets with several.
      recipient text,
      -- The delivery whose message it sends again.
      resend_of bigint,
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed', 'throttled')),
      -- Why it was held back; null where it was not.
      throttle text CHECK (throttle IN ('repeat', 'limit', 'quiet_hours')),
      attempts integer NOT NULL DEFAULT 0,
      response_status integer,
      error text,
      duration_ms integer,
      -- JSON: for webhooks as it is sent, else a Notification.
      request_body text NOT NULL,
      next_attempt_at timestamptz,
      -- When it may be taken while it is pending: when it is due, or when the lease of whoever has it is over.
      due_at timestamptz NOT NULL DEFAULT errata.now(),
      -- How often it was leased; who has another number has lost it.
      leases integer NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      completed_at timestamptz,
      PRIMARY KEY (project_id, id),
      FOREIGN KEY (project_id, target_id) REFERENCES errata.targets (project_id, id) ON DELETE CASCADE,
      CHECK ((status = 'throttled') = (throttle IS NOT NULL))
    ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`
  // Deliveries of a target, for lists and removal.
  yield* sql`CREATE INDEX deliveries_target ON errata.deliveries (project_id, target_id, id)`
  // Deliveries of one kind of event.
  yield* sql`CREATE INDEX deliveries_event ON errata.deliveries (project_id, target_id, event, id)`
  // Deliveries with and without success, each of which may be rare.
  yield* sql`
    CREATE INDEX deliveries_with_success ON errata.deliveries (project_id, target_id, id)
    WHERE status = 'succeeded'`
  yield* sql`
    CREATE INDEX deliveries_without_success ON errata.deliveries (project_id, target_id, id)
    WHERE status <> 'succeeded'`
  // Recently failed deliveries, which are few.
  yield* sql`CREATE INDEX deliveries_failed ON errata.deliveries (completed_at) WHERE status = 'failed'`

  // Notifications of a project, by status, rule and group. Excludes deliveries to webhooks.
  yield* sql`
    CREATE INDEX deliveries_notifications ON errata.deliveries (project_id, id) WHERE is_notification`
  yield* sql`
    CREATE INDEX deliveries_notification_status ON errata.deliveries (project_id, status, id) WHERE is_notification`
  yield* sql`
    CREATE INDEX deliveries_notification_rule ON errata.deliveries (project_id, rule_id, id)
    WHERE is_notification AND rule_id IS NOT NULL`
  yield* sql`
    CREATE INDEX deliveries_notification_group ON errata.deliveries (project_id, group_id, id)
    WHERE is_notification AND group_id IS NOT NULL`
  // Deliveries held back in a period.
  yield* sql`
    CREATE INDEX deliveries_held_back ON errata.deliveries (project_id, throttle, created_at)
    WHERE throttle IS NOT NULL`

  // The next deliveries of each target: requested ones, first attempts and retries. Leases do not change the first two
  // indexes. Leases read in this order, which no other index has, so that outdated statistics cannot change the plan.
  yield* sql`
    CREATE INDEX deliveries_requested
    ON errata.deliveries (project_id, target_id NULLS FIRST, id NULLS FIRST)
    WHERE status = 'pending' AND group_id IS NULL`
  yield* sql`
    CREATE INDEX deliveries_first
    ON errata.deliveries (project_id, target_id NULLS FIRST, id NULLS FIRST)
    WHERE status = 'pending' AND attempts = 0 AND group_id IS NOT NULL`
  yield* sql`
    CREATE INDEX deliveries_again
    ON errata.deliveries (project_id, target_id NULLS FIRST, due_at, id)
    WHERE status = 'pending' AND attempts > 0 AND group_id IS NOT NULL`
  // Expiry of old deliveries.
  yield* sql`
    CREATE INDEX deliveries_completed ON errata.deliveries (completed_at) WHERE completed_at IS NOT NULL`

  // The outbox: events of groups that a consumer has not processed.
  yield* sql`
    CREATE TABLE errata.group_events (
      id bigint GENERATED ALWAYS AS IDENTITY,
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      -- As webhooks subscribe to it.
      event text NOT NULL,
      occurred_at timestamptz NOT NULL,
      -- JSON; see GroupEventDocument.ts.
      document text NOT NULL,
      -- How often it was leased; who has another number has lost it.
      attempts integer NOT NULL DEFAULT 0,
      leased_until timestamptz,
      PRIMARY KEY (project_id, id)
    ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`
  // The order in which consumers lease them.
  yield* sql`CREATE INDEX group_events_order ON errata.group_events (id)`
  // Leased events, which are few. Leases change this index, which is rare for group events.
  yield* sql`
    CREATE INDEX group_events_leased ON errata.group_events (leased_until) WHERE leased_until IS NOT NULL`
  // Earlier unsettled events of the group.
  yield* sql`CREATE INDEX group_events_group ON errata.group_events (project_id, group_id, id)`

  // The same for other consumers, with one row per event and consumer.
  yield* sql`
    CREATE TABLE errata.consumer_events (
      id bigint GENERATED ALWAYS AS IDENTITY,
      consumer text NOT NULL,
      project_id bigint NOT NULL,
      group_id bigint NOT NULL,
      event text NOT NULL,
      occurred_at timestamptz NOT NULL,
      document text NOT NULL,
      attempts integer NOT NULL DEFAULT 0,
      leased_until timestamptz,
      PRIMARY KEY (project_id, id)
    ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`
  yield* sql`CREATE INDEX consumer_events_order ON errata.consumer_events (consumer, id)`
  yield* sql`
    CREATE INDEX consumer_events_leased ON errata.consumer_events (consumer, leased_until)
    WHERE leased_until IS NOT NULL`
  yield* sql`
    CREATE INDEX consumer_events_group ON errata.consumer_events (consumer, project_id, group_id, id)`

  // Subscriptions of consumers other than webhooks. Few, and read for every event.
  yield* sql`
    CREATE TABLE errata.group_event_subscriptions (
      -- 0 for all projects. A small table, which is not distributed by project.
      subscribed_project_id bigint NOT NULL,
      event text NOT NULL,
      consumer text NOT NULL,
      ends_at timestamptz NOT NULL,
      PRIMARY KEY (subscribed_project_id, event, consumer)
    ) WITH (fillfactor = 50)`
})
