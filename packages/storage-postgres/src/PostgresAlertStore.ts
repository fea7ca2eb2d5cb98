import {
  type AlertFilter,
  type AlertReceivers,
  type AlertRule,
  type AlertRuleContent,
  type AlertRuleId,
  type AlertTrigger,
  isMeasured,
  maxRules,
  type ProjectId,
} from "@errata/core"
import { AlertStore, type ProjectRules } from "@errata/core/ports"
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as AlertStates from "./internal/AlertStates.js"
import * as Buckets from "./internal/Buckets.js"
import { inTurn } from "./internal/InTurn.js"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { boolean, int4, int8, json, nullable, text, time } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(ruleRows.select())

  const isOf = (projectId: ProjectId | null) =>
    projectId === null ? sql`project_id IS NULL` : sql`project_id = ${projectId}`

  return AlertStore.of({
    ...AlertStates.make(sql),

    insert: (projectId, content, now) =>
      Effect.gen(function* () {
        const [row] = yield* sql`SELECT count(*) AS count FROM errata.alert_rules WHERE ${isOf(projectId)}`
        if (countRows.read(row!).count >= maxRules) return []
        return yield* sql`
          INSERT INTO errata.alert_rules ${sql.insert({
            project_id: projectId,
            ...columnsOf(content),
            created_at: toDate(now),
            updated_at: toDate(now),
          })}
          RETURNING ${columns}`
      }).pipe(
        inTurn(sql, "alert_rules", projectId ?? 0),
        Effect.map((rows) => Array.head(rows.map(toRule))),
        named("AlertStore.insert"),
      ),

    find: (projectId, id) =>
      sql`SELECT ${columns} FROM errata.alert_rules WHERE id = ${id} AND ${isOf(projectId)}`.pipe(
        Effect.map((rows) => Array.head(rows.map(toRule))),
        named("AlertStore.find"),
      ),

    list: (projectId) =>
      sql`SELECT ${columns} FROM errata.alert_rules WHERE ${isOf(projectId)} ORDER BY id`.pipe(
        Effect.map((rows) => rows.map(toRule)),
        named("AlertStore.list"),
      ),

    update: (projectId, id, content, now) =>
      sql`
        UPDATE errata.alert_rules SET ${sql.update({ ...columnsOf(content), updated_at: toDate(now) })}
        WHERE id = ${id} AND ${isOf(projectId)}
        RETURNING ${columns}`.pipe(
        Effect.map((rows) => Array.head(rows.map(toRule))),
        named("AlertStore.update"),
      ),

    // Waits for transactions that write states of the rule. The second statement sees these, and no new ones follow.
    remove: (projectId, id) =>
      Effect.gen(function* () {
        yield* Buckets.change(sql, "alert_rules", id)
        const removed = yield* sql`
          DELETE FROM errata.alert_rules WHERE id = ${id} AND ${isOf(projectId)} RETURNING id`
        // With buckets, the rule is deleted in the first one, and the others still have its states.
        const isGone = projectId === null && (yield* Buckets.Current)
        if (removed.length === 0 && !isGone) return false
        yield* projectId === null
          ? sql`
              DELETE FROM errata.alert_states WHERE rule_id = ${id}
                AND project_id = ANY (ARRAY(SELECT id FROM errata.projects))`
          : sql`DELETE FROM errata.alert_states WHERE project_id = ${projectId} AND rule_id = ${id}`
        return true
      }).pipe(sql.withTransaction, named("AlertStore.remove")),

    inForce: (projectIds) =>
      sql`
        SELECT ${sql.literal(inForceColumns)}
        FROM errata.projects AS p
        CROSS JOIN LATERAL (
          SELECT * FROM errata.alert_rules AS own WHERE own.project_id = p.id
          UNION ALL
          SELECT * FROM errata.alert_rules AS standard
          WHERE standard.project_id IS NULL
            AND NOT EXISTS (SELECT FROM errata.alert_rules AS own WHERE own.project_id = p.id)
        ) AS r
        WHERE p.id = ANY (${[...new Set(projectIds)]}::bigint[]) AND p.deleted_at IS NULL AND r.enabled
        ORDER BY p.id, r.id`.pipe(
        Effect.map((rows) => toProjectRules(rows.map(inForceRows.read))),
        named("AlertStore.inForce"),
      ),

    toMeasure: (after, reportedSince, limit) =>
      sql`
        SELECT p.id FROM errata.projects AS p
        WHERE p.id > ${after} AND p.deleted_at IS NULL
          AND (
            EXISTS (SELECT FROM errata.alert_states AS s WHERE s.project_id = p.id AND s.firing)
            OR EXISTS (
              SELECT FROM errata.project_counts AS c
              WHERE c.project_id = p.id AND c.last_report_at >= ${toDate(reportedSince)}
            )
            AND CASE
              WHEN EXISTS (SELECT FROM errata.alert_rules AS r WHERE r.project_id = p.id)
              THEN EXISTS (
                SELECT FROM errata.alert_rules AS r WHERE r.project_id = p.id AND r.enabled AND r.has_measured
              )
              ELSE (
                SELECT count(*) > 0 FROM errata.alert_rules WHERE project_id IS NULL AND enabled AND has_measured
              )
            END
          )
        ORDER BY p.id LIMIT ${limit}`.pipe(
        Effect.map((rows) => rows.map((row) => projectRows.read(row).id)),
        named("AlertStore.toMeasure"),
      ),

    hasEventRules: sql`
      SELECT count(*) AS count FROM (
        SELECT FROM errata.alert_rules WHERE enabled AND has_events LIMIT 1
      ) AS found`.pipe(
      Effect.map(([row]) => countRows.read(row!).count > 0),
      named("AlertStore.hasEventRules"),
    ),
  })
})

export const layer = Layer.effect(AlertStore, make)

// internal

const rule = {
  id: int8<AlertRuleId>(),
  projectId: nullable(int8<ProjectId>()),
  name: text(),
  enabled: boolean,
  triggers: json<ReadonlyArray<AlertTrigger>>(),
  filter: json<AlertFilter>(),
  receivers: json<AlertReceivers>(),
  repeatMinutes: int4(),
  createdAt: time,
  updatedAt: time,
}

const ruleRows = Rows.make(rule)

const toRule = (row: object): AlertRule => ruleRows.read(row)

/** A rule `r` with the project `p` that it applies to. */
const inForceRows = Rows.make({
  ...rule,
  forProjectId: int8<ProjectId>(),
  projectName: text(),
  timezone: text(),
  errorAndFatalOnly: boolean,
})

const inForceColumns = inForceRows.select("r", {
  forProjectId: "p.id",
  projectName: "p.name",
  timezone: "p.timezone",
  errorAndFatalOnly: "p.error_and_fatal_notifications_only",
})

const toProjectRules = (
  rows: ReadonlyArray<ReturnType<typeof inForceRows.read>>,
): ReadonlyArray<ProjectRules> => {
  const all = new Map<ProjectId, ProjectRules & { readonly rules: globalThis.Array<AlertRule> }>()
  for (const { errorAndFatalOnly, forProjectId, projectName, timezone, ...rule } of rows) {
    const known = all.get(forProjectId)
    if (known !== undefined) known.rules.push(rule)
    else {
      all.set(forProjectId, {
        projectId: forProjectId,
        name: projectName,
        timezone,
        errorAndFatalOnly,
        rules: [rule],
      })
    }
  }
  return [...all.values()]
}

const countRows = Rows.make({ count: int8() })
const projectRows = Rows.make({ id: int8<ProjectId>() })

const columnsOf = ({ enabled, filter, name, receivers, repeatMinutes, triggers }: AlertRuleContent) => ({
  name,
  enabled,
  triggers: JSON.stringify(triggers),
  filter: JSON.stringify(filter),
  receivers: JSON.stringify(receivers),
  repeat_minutes: repeatMinutes,
  has_events: !triggers.every(isMeasured),
  has_measured: triggers.some(isMeasured),
})
