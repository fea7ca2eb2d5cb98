/** Leases and removals read only what they take, regardless of the planner's statistics. */

import { describe, expect, it } from "@effect/vitest"
import {
  AlertRuleId,
  DeliveryId,
  type Group,
  GroupFilter,
  GroupId,
  ProjectId,
  ReportId,
  type Services,
  type StorageError,
} from "@errata/core"
import {
  ActivityStore,
  AlertStore,
  ArtifactStore,
  type AttemptResult,
  type BatchPart,
  CredentialStore,
  DeliveryStore,
  GroupEventStore,
  GroupStore,
  type LeasedDelivery,
  type LeasedReport,
  MemberMailStore,
  NoteStore,
  OAuthStore,
  type PendingBatch,
  PendingPayloads,
  ProjectStore,
  RateLimitStore,
  RetentionStore,
  SourcemapReportStore,
  SourcemapStore,
  TargetStore,
  webhooksConsumer,
} from "@errata/core/ports"
import { DateTime, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Node from "./support/node.js"
import { explain } from "./support/plans.js"

const rows = 20_000
const limit = 200
const duration = Duration.minutes(1)
const later = DateTime.makeUnsafe("2040-01-01T00:00:00Z")

interface Case {
  readonly name: string
  /** By table: the columns of a row and their values for row number `i`. */
  readonly fill: Readonly<Record<string, readonly [columns: string, values: string]>>
  readonly run: Effect.Effect<unknown, StorageError, Services.Stores>
  /** Maximum number of rows that a statement may read per table. */
  readonly most: number
  readonly before?: string
  /** Tables that a removal may scan once. */
  readonly readOnce?: ReadonlyArray<string>
}

const delivery =
  "project_id, target_id, group_id, event, request_body, status, attempts, created_at, completed_at"
const webhook = "id, project_id, kind, url, events, enabled, secret, created_at, updated_at"
const deliveries = (values: string): Case["fill"] => ({
  deliveries: [delivery, values],
})
/** A thousand webhooks of ten projects. */
const webhooks = `
  INSERT INTO errata.projects (id, name, slug, platform, timezone, token, created_at, updated_at)
  OVERRIDING SYSTEM VALUE
  SELECT i, 'p' || i, 'p' || i, 'node', 'UTC', 'k' || i, now(), now() FROM generate_series(0, 99) AS i ON CONFLICT DO NOTHING;
  INSERT INTO errata.targets (${webhook}) OVERRIDING SYSTEM VALUE
  SELECT i, i % 10, 'webhook', 'http://a', '{}', true, '', now(), now() FROM generate_series(0, 999) AS i ON CONFLICT DO NOTHING`

/** Statistics describe one webhook with nothing pending. Since then it has 200 neighbors whose deliveries are not due. */
const afterQuietDays = `
  INSERT INTO errata.projects (id, name, slug, platform, timezone, token, created_at, updated_at)
  OVERRIDING SYSTEM VALUE VALUES (1000, 'q', 'q', 'node', 'UTC', 'q', now(), now());
  INSERT INTO errata.targets (${webhook}) OVERRIDING SYSTEM VALUE
  VALUES (1000, 1000, 'webhook', 'http://a', '{}', true, '', now(), now());
  INSERT INTO errata.deliveries (${delivery})
  SELECT 1000, 1000, i, 'group.created', '', 'succeeded', 1, now(), now() FROM generate_series(1, 20000) AS i;
  ALTER TABLE errata.deliveries SET (autovacuum_enabled = off);
  ANALYZE;
  INSERT INTO errata.targets (${webhook}) OVERRIDING SYSTEM VALUE
  SELECT i, 1000, 'webhook', 'http://a', '{}', true, '', now(), now() FROM generate_series(1001, 1199) AS i;
  INSERT INTO errata.deliveries (project_id, target_id, group_id, event, request_body, attempts, created_at, due_at)
  SELECT 1000, w.id, i, 'group.created', repeat('x', 300), 1, now(), now() + interval '1 day'
  FROM errata.targets AS w CROSS JOIN generate_series(1, 200) AS i WHERE w.project_id = 1000`

const leaseDeliveries = Effect.flatMap(DeliveryStore, (store) =>
  store.lease({ limit, perTarget: 2, exceptions: [], duration }),
)

/** Pending deliveries as the sender holds them. */
const held: ReadonlyArray<LeasedDelivery> = Array.from({ length: limit }, (_, i) => ({
  ...({} as LeasedDelivery),
  projectId: ProjectId.make(1000),
  id: DeliveryId.make(20_001 + i),
  leases: 0,
}))
const failed: AttemptResult = {
  status: "pending",
  responseStatus: 500,
  error: null,
  durationMs: 5,
  pause: Duration.minutes(1),
}

const segments = [
  "project_id, id, payloads_count, bytes, index_bytes, block_bytes, body",
  "i % 10, i, 1, 100, 2, 2, '[]'",
] as const

const batches = Array.from({ length: limit }, (_, i) => ({
  ...({} as PendingBatch),
  projectId: ProjectId.make(1 + (i % 9)),
  // Ids whose last digit is the project's id.
  id: 1_001 + 10 * Math.floor(i / 9) + (i % 9),
  attempts: 0,
})) as ReadonlyArray<PendingBatch>

const partOf = ({ id, projectId }: PendingBatch): BatchPart => ({
  batchId: id,
  projectId,
  positions: [0],
  bytes: 100,
  whole: true,
})

const reports: ReadonlyArray<LeasedReport> = Array.from({ length: limit }, (_, i) => ({
  projectId: ProjectId.make(1 + (i % 99)),
  reportId: ReportId.make(1_001 + 100 * Math.floor(i / 99) + (i % 99)),
  leases: 1,
  postponed: 0,
}))

/** Bundles of one file each, with all related rows. */
const bundles = (state: string): Case["fill"] => ({
  artifact_bundles: [
    "project_id, id, kind, state, checksum, size, files_count, created_at, uploaded_at",
    `i % 10, i, 'bundle', '${state}', i, 1, 1, now(), now()`,
  ],
  artifact_links: ["project_id, bundle_id, release, dist, linked_at", "i % 10, i, i, '', now()"],
  artifact_files: [
    "project_id, bundle_id, position, type, size, blob",
    "i % 10, i, 0, 'source', 1, sha256(i::text::bytea)",
  ],
  artifact_file_ids: ["project_id, bundle_id, position, debug_id", "i % 10, i, 0, gen_random_uuid()"],
})

const cases: ReadonlyArray<Case> = [
  {
    name: "deliveries that wait for a first attempt",
    before: webhooks,
    fill: deliveries("i % 10, i % 1000, i, 'group.created', repeat('x', 300), 'pending', 0, now(), NULL"),
    run: leaseDeliveries,
    // A lease reads the oldest deliveries of each webhook once, because it takes one per group.
    most: rows + 4_000,
  },
  {
    name: "deliveries that wait for another attempt, and are not due",
    before: webhooks,
    fill: {
      deliveries: [
        `${delivery}, due_at`,
        "i % 10, i % 1000, i, 'group.created', repeat('x', 300), 'pending', 1, now(), NULL, now() + interval '1 day'",
      ],
    },
    run: leaseDeliveries,
    most: 4_000,
  },
  {
    name: "deliveries that are not due, after days without any",
    before: afterQuietDays,
    fill: {},
    run: leaseDeliveries,
    most: 4_000,
  },
  {
    name: "deliveries whose attempts are recorded",
    before: afterQuietDays,
    fill: {},
    run: Effect.flatMap(DeliveryStore, (store) =>
      store.settle(held.map((delivery) => ({ delivery, result: failed }))),
    ),
    most: 1_000,
  },
  {
    name: "deliveries that are given back",
    before: afterQuietDays,
    fill: {},
    run: Effect.flatMap(DeliveryStore, (store) => store.release(held)),
    most: 1_000,
  },
  {
    name: "a few deliveries among those that are done",
    before: webhooks,
    fill: deliveries(
      "i % 10, i % 1000, i, 'group.created', '', CASE WHEN i % 500 = 0 THEN 'pending' ELSE 'succeeded' END, 0, now(), now()",
    ),
    run: leaseDeliveries,
    most: 4_000,
  },
  {
    name: "deliveries that are forgotten",
    before: webhooks,
    fill: deliveries(
      "i % 10, i % 1000, i, 'group.created', '', 'succeeded', 1, now(), now() - interval '1 year'",
    ),
    run: Effect.flatMap(DeliveryStore, (store) => store.forget(Duration.days(1), limit)),
    most: 1_000,
  },
  {
    name: "messages that are held back, few of which are of the period",
    before: webhooks,
    fill: {
      deliveries: [
        `${delivery}, is_notification, throttle`,
        "1, 1, i, 'notification.alert', '', 'throttled', 0, now() - i * interval '1 minute', now(), true, 'limit'",
      ],
    },
    run: Effect.flatMap(DeliveryStore, (store) =>
      Effect.flatMap(DateTime.now, (now) =>
        store.heldBack(ProjectId.make(1), null, "limit", DateTime.subtract(now, { minutes: 60 }), now),
      ),
    ),
    most: 1_000,
  },
  ...(
    [
      ["of a project", {}],
      ["of a rule", { ruleId: 7 }],
      ["about a group", { groupId: GroupId.make(777) }],
      ["of a status that few have", { status: "failed" }],
    ] as const
  ).map(
    ([what, filter]): Case => ({
      name: `notifications ${what}`,
      before: webhooks,
      fill: {
        deliveries: [
          `${delivery}, is_notification, rule_id`,
          `1, CASE WHEN i % 2 = 0 THEN 1 ELSE 11 END, i, 'notification.alert', '',
           CASE WHEN i % 1000 = 0 THEN 'failed' ELSE 'succeeded' END, 1, now(), now(), i % 2 = 0, i % 1000`,
        ],
      },
      run: Effect.flatMap(DeliveryStore, (store) =>
        store.notifications(
          ProjectId.make(1),
          { targetId: null, ruleId: null, groupId: null, status: null, ...filter },
          { limit: 100, cursor: null },
        ),
      ),
      most: 500,
    }),
  ),
  {
    name: "states that are forgotten",
    fill: {
      alert_states: ["project_id, rule_id, group_id, notified_at, firing", "i % 10, 1, i, now(), i % 2 = 0"],
    },
    run: Effect.flatMap(AlertStore, (store) => store.forgetStates(later, limit)),
    most: 1_000,
  },
  {
    name: "states that fire, and those of a few places",
    fill: {
      alert_states: [
        "project_id, rule_id, group_id, notified_at, firing",
        "i % 10, 1, i, now(), i % 1000 = 1",
      ],
    },
    run: Effect.flatMap(AlertStore, (store) => {
      const places = Array.from({ length: limit }, (_, i) => ({
        projectId: ProjectId.make(1 + (i % 9)),
        ruleId: AlertRuleId.make(1),
        groupId: GroupId.make(1_001 + i),
      }))
      return Effect.andThen(store.firing(ProjectId.make(1)), store.lockStates(places))
    }),
    most: 1_000,
  },
  {
    name: "windows that have ended",
    fill: {
      notification_windows: [
        "project_id, target_id, starts_at, ends_at, sent, held, granted",
        "i, 0, now(), now() + CASE WHEN i % 100 = 0 THEN '-1 hour' ELSE '1 hour' END::interval, 1, i % 200, 0",
      ],
    },
    run: Effect.flatMap(AlertStore, (store) =>
      Effect.flatMap(DateTime.now, (now) => store.takeEndedWindows(now, limit)),
    ),
    most: 1_000,
  },
  {
    name: "targets that fail, few of which for long",
    before: webhooks,
    fill: {
      targets: [
        `${webhook}, failing_since`,
        `i + 10000, i % 10, 'chat', NULL, NULL, true, NULL, now(), now(),
         CASE WHEN i % 100 = 0 THEN now() - CASE WHEN i % 1000 = 0 THEN '2 days' ELSE '1 hour' END::interval END`,
      ],
    },
    run: Effect.flatMap(TargetStore, (store) =>
      Effect.flatMap(DateTime.now, (now) =>
        store.disableFailing(DateTime.subtract(now, { days: 1 }), "broken", limit, now),
      ),
    ),
    most: 1_000,
  },
  {
    name: "digests, page by page",
    before: `
      INSERT INTO errata.users (id, name, email_address, role, created_at, updated_at) OVERRIDING SYSTEM VALUE
      SELECT i, i, i, 'admin', now(), now() FROM generate_series(1, ${rows}) AS i;
      ANALYZE errata.users`,
    fill: {
      member_mail: ["project_id, user_id, mode, digest", "i % 100, i, 'nothing', 'daily'"],
    },
    run: Effect.flatMap(MemberMailStore, (store) => store.digests({ projectId: 50, userId: 0 }, limit)),
    most: 1_500,
  },
  {
    name: "the latest notes of a project",
    fill: {
      notes: [
        "project_id, group_id, content, automated, created_at",
        "1, i, '', false, now() - i * interval '1 minute'",
      ],
      groups: [
        `project_id, id, grouping_algorithm, grouping_key, error_type, error_message, culprit, search, severity,
         first_occurred_at, last_occurred_at, reports_count, created_at, updated_at`,
        "1, i, 'v2', i, '', '', '', '', 1, now(), now(), 1, now(), now()",
      ],
    },
    run: Effect.flatMap(NoteStore, (store) =>
      Effect.flatMap(DateTime.now, (now) =>
        store.recent(ProjectId.make(1), DateTime.subtract(now, { hours: 1 }), limit),
      ),
    ),
    most: 1_000,
  },
  ...(
    [
      ["a few by their ids", { ids: Array.from({ length: 20 }, (_, i) => GroupId.make(1 + i * 900)) }],
      ["created of late", { createdFrom: Date.UTC(2036, 0, 1) }],
      ["resolved of late", { resolvedFrom: Date.UTC(2036, 0, 1) }],
    ] as const
  ).map(
    ([what, filter]): Case => ({
      name: `groups: ${what}`,
      fill: {
        groups: [
          `project_id, id, grouping_algorithm, grouping_key, error_type, error_message, culprit, search, severity,
           first_occurred_at, last_occurred_at, reports_count, created_at, updated_at, resolved_at`,
          `1, i, 'v2', i, '', '', '', '', 1, now(), now(), 1,
           CASE WHEN i % 1000 = 7 THEN timestamptz '2037-01-01' ELSE now() END, now(),
           CASE WHEN i % 1000 = 9 THEN timestamptz '2037-01-01' ELSE now() END`,
        ],
      },
      run: Effect.flatMap(GroupStore, (store) =>
        Effect.flatMap(DateTime.now, (now) =>
          store.list(ProjectId.make(1), { ...GroupFilter.all, ...filter }, { limit: 50, cursor: null }, now),
        ),
      ),
      most: 500,
    }),
  ),
  {
    name: "series of groups",
    fill: {
      activity_hours: ["project_id, group_id, hour, new_groups, reports", "1, i % 500, i / 500, 0, 1"],
    },
    run: Effect.flatMap(ActivityStore, (store) =>
      store.series(
        ProjectId.make(1),
        Array.from({ length: 50 }, (_, i) => GroupId.make(i + 1)),
        { since: 0, until: 24 * 60, step: "hour" },
      ),
    ),
    most: 2_000,
  },
  {
    name: "users of groups, some of which do not keep all",
    fill: {
      group_users: ["project_id, sketch, hash", "i % 10, i / 10, i"],
      group_user_bounds: ["project_id, sketch, below, kept", "i % 10, i, 1000000000, 1000"],
    },
    run: Effect.flatMap(GroupStore, (store) =>
      store.addUsers(
        Array.from({ length: limit }, (_, i) => {
          const id = GroupId.make(10 * i + 11)
          const group = { id, projectId: ProjectId.make(1), hasMembers: false, usersCount: 1 } as Group
          return { group, groupId: id, user: 500_000 + i }
        }),
      ),
    ),
    most: 1_000,
  },
  {
    name: "activity that is kept no longer",
    before: webhooks,
    fill: {
      activity_minutes: ["project_id, group_id, minute, new_groups, reports", "i % 100, i, i * 100, 0, 1"],
      activity_hours: ["project_id, group_id, hour, new_groups, reports", "i % 100, i, i * 5, 0, 1"],
    },
    run: Effect.flatMap(ActivityStore, (store) => store.forget(DateTime.makeUnsafe(50_000_000_000), 4)),
    most: 1_000,
  },
  {
    name: "deliveries of a webhook that is removed",
    before: webhooks,
    fill: deliveries("1, 1, i, 'group.created', '', 'succeeded', 1, now(), now()"),
    run: Effect.flatMap(DeliveryStore, (store) => store.removeSome(1 as never, 1 as never, limit)),
    most: 1_000,
  },
  {
    name: "reports that wait for their frames to be mapped",
    before: webhooks,
    fill: { sourcemap_queue: ["project_id, report_id, turn", "i % 100, i, i"] },
    run: Effect.flatMap(SourcemapReportStore, (store) => store.lease({ limit, perProject: 4, duration })),
    most: 3_000,
  },
  ...(["renew", "release", "postpone"] as const).map(
    (what): Case => ({
      name: `reports whose frames are being mapped: ${what}`,
      before: webhooks,
      fill: { sourcemap_queue: ["project_id, report_id, turn, leases", "i % 100, i, i, 1"] },
      run: Effect.flatMap(SourcemapReportStore, (store) =>
        what === "postpone" ? store.postpone(reports[0]!, duration) : store[what](reports, duration),
      ),
      most: 1_000,
    }),
  ),
  {
    name: "payloads that wait to be recorded",
    fill: {
      pending_batches: ["project_id, segment_id, payloads_count, bytes", "i % 10, i, 1, 100"],
      segments,
    },
    run: Effect.flatMap(PendingPayloads, (store) => store.lease({ payloads: limit, bytes: 1e9, duration })),
    most: 2_000,
  },
  {
    name: "a payload that may end its recorder",
    fill: {
      pending_batches: [
        "project_id, segment_id, payloads_count, bytes, suspect",
        "i % 10, i, 1, 100, i % 1000 = 0",
      ],
      segments,
    },
    run: Effect.flatMap(PendingPayloads, (store) => store.leaseSuspect([duration])),
    most: 1_000,
  },
  ...(["renew", "release", "postpone", "remove"] as const).map(
    (what): Case => ({
      name: `payloads that are held: ${what}`,
      fill: {
        pending_batches: ["project_id, id, segment_id, payloads_count, bytes", "i % 10, i, i, 1, 100"],
        segments,
      },
      run: Effect.flatMap(PendingPayloads, (store) =>
        what === "remove" ? store.remove(batches.map(partOf)) : store[what](batches, duration),
      ),
      most: 2_000,
    }),
  ),
  {
    name: "old dead letters",
    fill: {
      dead_letters: [
        "project_id, segment_id, position, event_id, kind, received_at, bytes, reason, failed_at",
        "i % 10, i, 0, '', 'event', now(), 1, '', now() + i * interval '1 second'",
      ],
    },
    run: Effect.flatMap(PendingPayloads, (store) => store.expireDeadLetters(later, limit)),
    most: 1_000,
  },
  {
    name: "changes of groups that wait to be announced",
    fill: {
      group_events: [
        "project_id, group_id, event, occurred_at, document",
        "i % 10, i, 'group.created', now(), repeat('x', 300)",
      ],
    },
    run: Effect.flatMap(GroupEventStore, (store) =>
      store.lease({ consumer: webhooksConsumer, limit, duration }),
    ),
    most: 2_000,
  },
  {
    name: "mutes that have run out",
    fill: {
      groups: [
        `project_id, grouping_algorithm, grouping_key, error_type, error_message, culprit, search, severity,
         first_occurred_at, last_occurred_at, reports_count, created_at, updated_at, muted_until`,
        "i % 10, 'v2', i, '', '', '', '', 1, now(), now(), 1, now(), now(), now()",
      ],
    },
    run: Effect.flatMap(GroupStore, (store) => store.lockExpiredMutes(later, limit)),
    most: 1_000,
  },
  {
    name: "groups that have no report left",
    before: webhooks,
    fill: {
      groups: [
        `project_id, id, grouping_algorithm, grouping_key, error_type, error_message, culprit, search, severity,
         first_occurred_at, last_occurred_at, reports_count, created_at, updated_at`,
        `1, i, 'v2', i, '', '', '', '', 1, now() - interval '1 year',
         now() - CASE WHEN i % 1000 = 0 THEN 1 ELSE 0 END * interval '1 year', 1, now() - interval '1 year', now()`,
      ],
      grouping_keys: ["project_id, algorithm, key, group_id", "1, 'v2', i, i"],
      group_evidence: ["project_id, group_id, data, first_release", "1, i, '{}', ''"],
      notes: ["project_id, group_id, content, automated, created_at", "1, i, '', false, now()"],
    },
    run: Effect.flatMap(DateTime.now, (now) =>
      Effect.flatMap(RetentionStore, (store) =>
        store.purgeGroups(1 as never, DateTime.subtractDuration(now, Duration.days(90))),
      ),
    ),
    most: 1_000,
    readOnce: ["groups", "notes"],
  },
  {
    name: "sessions and their tokens",
    fill: {
      sessions: [
        "user_id, token_hash, method, user_agent, idle_until, ends_at",
        "1, i, 'link', '', now(), now()",
      ],
      bearers: ["token_hash, session_id, ends_at", "i, i, now()"],
    },
    run: Effect.flatMap(CredentialStore, (store) => store.expire(limit)),
    most: 1_000,
  },
  {
    name: "links to sign in",
    fill: { sign_in_links: ["user_id, token_hash, ends_at", "i, i, now() + i % 2 * interval '1 day'"] },
    run: Effect.flatMap(CredentialStore, (store) => store.expire(limit)),
    most: 1_000,
  },
  {
    name: "throttles",
    fill: { throttles: ["key, taken, ends_at", "i, 1, now()"] },
    run: Effect.flatMap(RateLimitStore, (store) => store.expire(limit)),
    most: 1_000,
  },
  {
    name: "expired tokens, codes and clients of applications",
    fill: {
      oauth_tokens: ["token_hash, connection_id, kind, grants, ends_at", "i, i, 'access', '{}', now()"],
      oauth_codes: [
        `code_hash, client_id, client_name, user_id, redirect_uri, code_challenge, resource, grants, ends_at`,
        "i, '', '', 1, '', '', '', '{}', now()",
      ],
      oauth_clients: ["client_id, name, redirect_uris, created_at", "i, '', '{}', now() - interval '1 year'"],
    },
    run: Effect.flatMap(OAuthStore, (store) =>
      store.expire(limit, { idle: Duration.days(1), unused: Duration.days(1) }),
    ),
    most: 1_500,
  },
  {
    name: "hosted maps",
    fill: { hosted_maps: ["project_id, script, ends_at", "i % 10, sha256(i::text::bytea), now()"] },
    run: Effect.flatMap(SourcemapStore, (store) => store.expireMaps(limit)),
    most: 1_000,
  },
  {
    name: "chunks of uploads, few of which are old",
    fill: {
      artifact_chunks: [
        "owner_id, sha1, content, size, put_at",
        "i % 10, i, '', 1, now() + CASE WHEN i < 100 THEN -1 ELSE 1 END * interval '1 day'",
      ],
    },
    run: Effect.flatMap(DateTime.now, (now) =>
      Effect.flatMap(ArtifactStore, (store) => store.removeStaleChunks({ put: now, settled: now }, limit)),
    ),
    most: 1_500,
  },
  {
    name: "uploads that failed",
    fill: bundles("failed"),
    run: Effect.flatMap(ArtifactStore, (store) => store.removeFailed(later, limit)),
    most: 1_000,
  },
  {
    name: "uploads that were of no use for long",
    fill: bundles("ok"),
    run: Effect.flatMap(ArtifactStore, (store) => store.removeOldest(later, limit)),
    most: 1_000,
  },
  {
    name: "contents of uploads that nothing needs",
    fill: { artifact_blobs: ["sha256, announced_at", "sha256(i::text::bytea), now()"] },
    run: Effect.flatMap(ArtifactStore, (store) => store.takeUnneeded(later, later, later, limit)),
    most: 1_500,
  },
  {
    name: "the rest of a deleted project",
    before: "UPDATE errata.projects SET deleted_at = now(), purged_at = NULL WHERE id = 77",
    fill: {
      notes: ["project_id, group_id, content, automated, created_at", "77, i, '', false, now()"],
    },
    run: Effect.flatMap(ProjectStore, (store) =>
      Effect.flatMap(DateTime.now, (now) => store.purge(limit, now)),
    ),
    most: 1_500,
  },
]

/** Fills a table. The planner has no statistics, or those of the first row only. */
const fill = (table: string, [columns, values]: readonly [string, string], analyzed: boolean) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [kind] = yield* sql<{ kind: string }>`
      SELECT relkind AS kind FROM pg_class WHERE oid = ${`errata.${table}`}::regclass`
    const references = yield* sql<{ name: string }>`
      SELECT conname AS name FROM pg_constraint WHERE contype = 'f' AND conrelid = ${`errata.${table}`}::regclass`
    for (const { name } of references)
      yield* sql.unsafe(`ALTER TABLE errata.${table} DROP CONSTRAINT ${name}`)
    if (kind!.kind === "r") yield* sql.unsafe(`ALTER TABLE errata.${table} SET (autovacuum_enabled = off)`)
    const identity = yield* sql`
      SELECT FROM pg_attribute WHERE attrelid = ${`errata.${table}`}::regclass AND attname = 'id' AND attidentity <> ''`
    const insert = (from: number, to: number) =>
      sql.unsafe(
        `INSERT INTO errata.${table} (${columns}) ${identity.length > 0 ? "OVERRIDING SYSTEM VALUE" : ""}
         SELECT ${values} FROM generate_series(${from}, ${to}) AS i`,
      )
    if (analyzed) {
      yield* insert(1, 1)
      yield* sql.unsafe(`ANALYZE errata.${table}`)
    }
    yield* insert(2, rows)
  })

describe("a lease or sweep reads little more than it takes, of a table that was", () => {
  for (const [state, analyzed] of [
    ["never analyzed", false],
    ["analyzed when it had one row", true],
  ] as const) {
    for (const { before, fill: tables, most, name, readOnce = [], run } of cases) {
      // Some cases bring their own statistics.
      if (analyzed && Object.keys(tables).length === 0) continue
      it.live(`${state}: ${name}`, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql.unsafe(webhooks)
          if (before !== undefined) yield* sql.unsafe(before)
          for (const [table, columns] of Object.entries(tables)) yield* fill(table, columns, analyzed)
          const { statements } = yield* explain(run)
          expect(statements.length).toBeGreaterThan(0)
          for (const { read, statement } of statements) {
            for (const [table, count] of read) {
              const allowed = readOnce.includes(table) ? rows : most
              expect(count, `${table}: ${statement}`).toBeLessThanOrEqual(allowed)
            }
          }
          // Filling a table exceeds the default timeout.
        }).pipe(Effect.provide(Node.layer({ answerTimeout: "3 minutes" }))),
      )
    }
  }
})
