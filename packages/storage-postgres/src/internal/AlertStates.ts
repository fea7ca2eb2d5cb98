/** States of rules, and the counts of limits. */
import type { AlertRuleId, GroupId, ProjectId, TargetId } from "@errata/core"
import type { AlertPlace, AlertState, AlertStore, NotificationWindow } from "@errata/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as Batch from "./Batch.js"
import * as Buckets from "./Buckets.js"
import { byIndex } from "./ByIndex.js"
import { named } from "./PgStorageError.js"
import { toDate } from "./PgTime.js"
import * as Rows from "./Rows.js"
import { boolean, int8, nullable, time } from "./SqlType.js"

export const make = (sql: SqlClient.SqlClient) => {
  /** Locks the existing rules of the places until the transaction ends. */
  const lockedRules = () => sql`
    SELECT r.id FROM errata.alert_rules AS r
    WHERE r.id IN (SELECT rule_id FROM given) ORDER BY r.id${Buckets.unlessKept(sql, sql` FOR KEY SHARE`)}`

  const keepRules = (places: ReadonlyArray<AlertPlace>) =>
    Buckets.keep(
      sql,
      "alert_rules",
      places.map(({ ruleId }) => ruleId),
    )

  // Citus drops the order of an insert and keeps that of its input. It replaces table names by shards only in the input, so the
  // WITH clause comes after INSERT.
  const inOrder = sql.literal("ORDER BY project_id, rule_id, group_id")

  return {
    // Inserts empty states, because two callers that find none would both notify. Rows are locked in one order.
    lockStates: (places) =>
      Effect.andThen(
        keepRules(places),
        sql`
        INSERT INTO errata.alert_states AS s (project_id, rule_id, group_id)
        WITH given AS MATERIALIZED (SELECT DISTINCT * FROM ${lockedPlaces.rows(sql, places)} ${inOrder}),
        rules AS MATERIALIZED (${lockedRules()})
        SELECT project_id, rule_id, group_id FROM given${Buckets.here(sql)} WHERE rule_id IN (SELECT id FROM rules)
        ${inOrder}
        ON CONFLICT (project_id, rule_id, group_id) DO UPDATE SET firing = s.firing
        RETURNING ${sql.literal(stateRows.select("s"))}`,
      ).pipe(
        Effect.map((rows) => rows.map(toState).filter(isKept)),
        named("AlertStore.lockStates"),
      ),

    putStates: (states) =>
      Effect.andThen(
        keepRules(states),
        sql`
        INSERT INTO errata.alert_states AS s (${sql.literal(putStates.columns)})
        WITH given AS MATERIALIZED (SELECT * FROM ${putStates.rows(sql, states)}),
        rules AS MATERIALIZED (${lockedRules()})
        SELECT ${sql.literal(putStates.values)} FROM given AS c${Buckets.here(sql)} WHERE c.rule_id IN (SELECT id FROM rules)
        ORDER BY c.project_id, c.rule_id, c.group_id
        ON CONFLICT (project_id, rule_id, group_id) DO UPDATE SET
          notified_at = excluded.notified_at, firing = excluded.firing`,
      ).pipe(Effect.asVoid, named("AlertStore.putStates")),

    firing: (projectId) =>
      sql`
        SELECT ${sql.literal(stateRows.select())} FROM errata.alert_states
        WHERE project_id = ${projectId} AND firing ORDER BY rule_id, group_id`.pipe(
        Effect.map((rows) => rows.map(toState)),
        named("AlertStore.firing"),
      ),

    forgetStates: (before, limit) =>
      sql`
        DELETE FROM errata.alert_states AS s
        USING (
          SELECT project_id, rule_id, group_id FROM errata.alert_states
          WHERE NOT firing AND coalesce(notified_at, '-infinity') < ${toDate(before)}
          ORDER BY coalesce(notified_at, '-infinity') LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ) AS old
        WHERE s.project_id = old.project_id AND s.rule_id = old.rule_id AND s.group_id = old.group_id
        RETURNING 1`.pipe(
        Effect.map((rows) => rows.length),
        byIndex(sql),
        named("AlertStore.forgetStates"),
      ),

    // Concurrent counts in the same window wait for this transaction.
    countNotifications: ({ endsAt, projectId, startsAt, targetId }, notifications, limit) =>
      sql`
        INSERT INTO errata.notification_windows AS w (project_id, target_id, starts_at, ends_at, sent, held, granted)
        SELECT ${projectId}, ${targetId ?? 0}, ${toDate(startsAt)}, ${toDate(endsAt)}, granted,
          ${notifications}::bigint - granted, granted
        FROM (SELECT least(${notifications}::bigint, ${limit}::bigint) AS granted) AS first${Buckets.here(sql)}
        ON CONFLICT (project_id, target_id, starts_at) DO UPDATE SET
          granted = least(${Buckets.numeral(sql, notifications)}::bigint, greatest(0, ${Buckets.numeral(sql, limit)}::bigint - w.sent)),
          sent = w.sent + least(${Buckets.numeral(sql, notifications)}::bigint, greatest(0, ${Buckets.numeral(sql, limit)}::bigint - w.sent)),
          held = w.held + ${Buckets.numeral(sql, notifications)}::bigint
            - least(${Buckets.numeral(sql, notifications)}::bigint, greatest(0, ${Buckets.numeral(sql, limit)}::bigint - w.sent))
        RETURNING granted`.pipe(
        Effect.map(([row]) => grantRows.read(row!).granted),
        named("AlertStore.countNotifications"),
      ),

    // Skips windows without held notifications, so that an empty result means there are no more.
    takeEndedWindows: (now, limit) =>
      sql`
        WITH held AS MATERIALIZED (
          SELECT project_id, target_id, starts_at FROM errata.notification_windows
          WHERE ends_at <= ${toDate(now)} AND held > 0 ORDER BY ends_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ),
        others AS MATERIALIZED (
          SELECT project_id, target_id, starts_at FROM errata.notification_windows
          WHERE ends_at <= ${toDate(now)} AND held = 0 ORDER BY ends_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ),
        removed AS (
          DELETE FROM errata.notification_windows AS w
          USING (SELECT * FROM held UNION ALL SELECT * FROM others) AS ended
          WHERE w.project_id = ended.project_id AND w.target_id = ended.target_id AND w.starts_at = ended.starts_at
          RETURNING w.*
        )
        SELECT ${sql.literal(windowRows.select())} FROM removed WHERE held > 0 ORDER BY ends_at`.pipe(
        Effect.map((rows) =>
          rows.map((row): NotificationWindow & { readonly held: number } => {
            const { targetId, ...window } = windowRows.read(row)
            return { ...window, targetId: targetId === 0 ? null : targetId }
          }),
        ),
        named("AlertStore.takeEndedWindows"),
      ),
  } satisfies Partial<AlertStore["Service"]>
}

// internal

/** Group id for a state of the whole project. */
const ofProject = 0 as GroupId

const { once } = Rows.writtenFrom<AlertPlace>()

const place = {
  projectId: once(int8<ProjectId>(), (at) => at.projectId),
  ruleId: once(int8<AlertRuleId>(), (at) => at.ruleId),
  groupId: once(int8<GroupId>(), ({ groupId }) => groupId ?? ofProject),
}

const { once: ofState } = Rows.writtenFrom<AlertState>()

const state = {
  ...place,
  notifiedAt: ofState(nullable(time), ({ notifiedAt }) => notifiedAt),
  firing: ofState(boolean, ({ firing }) => firing),
}

const lockedPlaces = Batch.make<AlertPlace>(place)

const putStates = Batch.make<AlertState>(state)

const stateRows = Rows.make(state)

const toState = (row: object): AlertState => {
  const { groupId, ...rest } = stateRows.read(row)
  return { ...rest, groupId: groupId === ofProject ? null : groupId }
}

/** An empty state was locked but never saved. */
const isKept = ({ firing, notifiedAt }: AlertState): boolean => firing || notifiedAt !== null

const grantRows = Rows.make({ granted: int8() })

const windowRows = Rows.make({
  projectId: int8<ProjectId>(),
  targetId: int8<TargetId>(),
  startsAt: time,
  endsAt: time,
  held: int8(),
})
