import { Page, type Project, type ProjectId, type ProjectMute, type ProjectToken } from "@errata/core"
import {
  type DiscardedEvents,
  type ProjectCount,
  ProjectStore,
  slugOf,
  type UnfinishedMute,
} from "@errata/core/ports"
import { Array, type DateTime, Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import * as Batch from "./internal/Batch.js"
import * as Buckets from "./internal/Buckets.js"
import { isTaken } from "./internal/PgConstraint.js"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as ProjectPurge from "./internal/ProjectPurge.js"
import * as ProjectRow from "./internal/ProjectRow.js"
import * as Rows from "./internal/Rows.js"
import { int8, text } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const selecting = (where: Statement.Fragment) => sql`
    SELECT ${sql.literal(ProjectRow.projectColumns)}
    FROM errata.projects AS p
    LEFT JOIN LATERAL (
      SELECT sum(groups_count)::bigint AS groups_count, sum(reports_count)::bigint AS reports_count,
        min(first_report_at) AS first_report_at, max(last_report_at) AS last_report_at
      FROM errata.project_counts WHERE project_id = p.id
    ) AS c ON true
    LEFT JOIN errata.project_contacts AS contact ON contact.project_id = p.id
    WHERE p.deleted_at IS NULL AND ${where}`

  const select = (where: Statement.Fragment): Effect.Effect<ReadonlyArray<Project>, SqlError.SqlError> =>
    Effect.map(selecting(where), (rows) => rows.map(ProjectRow.toProject))

  const stripe = () =>
    Buckets.of(sql).count ? sql`${Math.floor(Math.random() * 16)}::integer` : sql`pg_backend_pid() % 16`

  return ProjectStore.of({
    insert: (project, now) =>
      Effect.gen(function* () {
        const [row] = yield* sql`
          INSERT INTO errata.projects ${sql.insert({
            name: project.name,
            key: project.key ?? null,
            slug: slugOf(project.name),
            platform: project.platform,
            timezone: project.timezone,
            token: project.token,
            created_at: toDate(now),
            updated_at: toDate(now),
          })}
          ON CONFLICT (name) WHERE deleted_at IS NULL DO NOTHING
          RETURNING id`.pipe(
          sql.withTransaction,
          Effect.catchIf(isTaken("projects_key"), () => Effect.succeed([])),
        )
        return row === undefined ? [] : yield* select(sql`p.id = ${idRows.read(row).id}`)
      }).pipe(Effect.map(Array.head), named("ProjectStore.insert")),

    // Prepared, because nearly every request uses it.
    find: (id) =>
      sql`/* prepared */ ${selecting(sql`p.id = ${id}`)}`.pipe(
        Effect.map((rows) => Array.head(rows.map(ProjectRow.toProject))),
        named("ProjectStore.find"),
      ),

    findByToken: (token) =>
      sql`
        SELECT ${sql.literal(credentialRows.select())} FROM errata.projects
        WHERE token = ${token} AND deleted_at IS NULL`.pipe(
        Effect.map((rows) => Array.head(rows.map(credentialRows.read))),
        named("ProjectStore.findByToken"),
      ),

    findByKey: (key) =>
      select(sql`p.key = ${key}`).pipe(Effect.map(Array.head), named("ProjectStore.findByKey")),

    bind: (id, key) =>
      Effect.gen(function* () {
        const bound = yield* sql`
          UPDATE errata.projects SET key = ${key} WHERE id = ${id} AND key IS NULL AND deleted_at IS NULL
          RETURNING id`.pipe(
          sql.withTransaction,
          Effect.catchIf(isTaken("projects_key"), () => Effect.succeed([])),
        )
        return bound.length === 0 ? [] : yield* select(sql`p.id = ${id}`)
      }).pipe(Effect.map(Array.head), named("ProjectStore.bind")),

    list: ({ only, name, slug }, page) =>
      select(
        sql`${sql.and([
          sql`p.id < ${page.cursor ?? Number.MAX_SAFE_INTEGER}`,
          ...(only === null ? [] : [sql`p.id = ANY (${only}::bigint[])`]),
          ...(name === null ? [] : [sql`p.name = ${name}`]),
          // Matches the predicate of the index.
          ...(slug === undefined ? [] : [sql`p.slug = ${slug} AND p.slug <> ''`]),
        ])} ORDER BY p.id DESC LIMIT ${page.limit + 1}`,
      ).pipe(
        Effect.map((rows) => Page.fromRows(rows, page)),
        named("ProjectStore.list"),
      ),

    liveIds: sql`SELECT id FROM errata.projects WHERE deleted_at IS NULL ORDER BY id`.pipe(
      Effect.map((rows) => rows.map((row) => idRows.read(row).id)),
      named("ProjectStore.liveIds"),
    ),

    update: (id, change, now) =>
      Effect.gen(function* () {
        // The unique index waits for a concurrent transaction that uses the same name.
        const changed = yield* sql`
          UPDATE errata.projects SET ${sql.update({
            ...given("name", change.name),
            ...given("slug", change.name === undefined ? undefined : slugOf(change.name)),
            ...given("platform", change.platform),
            ...given("token", change.token),
            ...given("timezone", change.timezone),
            ...given("error_and_fatal_notifications_only", change.errorAndFatalNotificationsOnly),
            updated_at: toDate(now),
          })}
          WHERE id = ${id} AND deleted_at IS NULL RETURNING id`.pipe(
          sql.withTransaction,
          Effect.catchIf(isTaken("projects_name"), () => Effect.succeed([])),
        )
        return changed.length === 0 ? [] : yield* select(sql`p.id = ${id}`)
      }).pipe(Effect.map(Array.head), named("ProjectStore.update")),

    remove: (id, now) =>
      Effect.gen(function* () {
        const removed = yield* sql`
          UPDATE errata.projects SET deleted_at = ${toDate(now)}, updated_at = ${toDate(now)}, app_id = NULL
          WHERE id = ${id} AND deleted_at IS NULL RETURNING id`
        if (removed.length > 0) yield* sql`DELETE FROM errata.memberships WHERE project_id = ${id}`
      }).pipe(sql.withTransaction, named("ProjectStore.remove")),

    purge: ProjectPurge.make(sql),

    setMute: (id, mute, now) =>
      Effect.gen(function* () {
        yield* Buckets.change(sql, "projects", id)
        // Waits for groups that are being created without the mute. Later ones see it.
        yield* sql`
          UPDATE errata.projects
          SET ${sql.update({ ...muteColumns(mute), mute_after: null, mute_last: null, updated_at: toDate(now) })}
          WHERE id = ${id}`
        if (mute === null) return
        // Citus cannot change a reference table in a statement that reads a distributed one.
        const [newest] =
          yield* sql`SELECT coalesce(max(id), 0) AS id FROM errata.groups WHERE project_id = ${id}`
        const last = newestRows.read(newest!).id
        if (last === 0) return
        yield* sql`UPDATE errata.projects SET mute_after = 0, mute_last = ${last} WHERE id = ${id}`
      }).pipe(sql.withTransaction, named("ProjectStore.setMute")),

    findUnfinishedMute: (id) =>
      sql`
        SELECT ${sql.literal(ProjectRow.unfinishedMuteRows.select())} FROM errata.projects
        WHERE id = ${id} AND mute_last IS NOT NULL AND deleted_at IS NULL`.pipe(
        Effect.map((rows) => Array.head(rows.map(toUnfinishedMute))),
        named("ProjectStore.findUnfinishedMute"),
      ),

    unfinishedMutes: sql`
      SELECT id FROM errata.projects WHERE mute_last IS NOT NULL AND deleted_at IS NULL ORDER BY id`.pipe(
      Effect.map((rows) => rows.map((row) => idRows.read(row).id)),
      named("ProjectStore.unfinishedMutes"),
    ),

    advanceMute: ({ after, last, mute, projectId }, reached) => {
      const { muted_at, muted_until, muter_id } = muteColumns(mute)
      const isFinished = reached >= last
      return sql`
        UPDATE errata.projects
        SET ${sql.update({ mute_after: isFinished ? null : reached, mute_last: isFinished ? null : last })}
        WHERE id = ${projectId} AND deleted_at IS NULL AND mute_after = ${after} AND mute_last = ${last}
          AND muted_at = ${muted_at} AND muter_id IS NOT DISTINCT FROM ${muter_id}
          AND muted_until IS NOT DISTINCT FROM ${muted_until}
        RETURNING id`.pipe(
        Effect.map((rows) => rows.length > 0),
        named("ProjectStore.advanceMute"),
      )
    },

    endMutes: (now) =>
      sql`
        UPDATE errata.projects SET ${sql.update({ ...muteColumns(null), updated_at: toDate(now) })}
        WHERE muted_until <= ${toDate(now)} AND mute_last IS NULL AND deleted_at IS NULL RETURNING id`.pipe(
        Effect.map((rows) => rows.length),
        named("ProjectStore.endMutes"),
      ),

    // Striped by connection, so that recorders of one project rarely wait for each other's commit.
    addCounts: (counts, now) =>
      sql`/* prepared */
        INSERT INTO errata.project_counts AS c
          (project_id, stripe, groups_count, reports_count, first_report_at, last_report_at)
        SELECT project_id, ${stripe()}, groups, reports, recorded.at, recorded.at
        FROM ${addedCounts.rows(sql, counts)}
        CROSS JOIN LATERAL (SELECT CASE WHEN c.reports > 0 THEN ${toDate(now)}::timestamptz END AS at) AS recorded${Buckets.here(sql)}
        ORDER BY project_id
        ON CONFLICT (project_id, stripe) DO UPDATE SET
          groups_count = c.groups_count + excluded.groups_count,
          reports_count = c.reports_count + excluded.reports_count,
          first_report_at = coalesce(c.first_report_at, excluded.first_report_at),
          last_report_at = greatest(c.last_report_at, excluded.last_report_at)`.pipe(
        Effect.asVoid,
        named("ProjectStore.addCounts"),
      ),

    // Sorted, so that concurrent nodes cannot deadlock.
    addContacts: (ids, now) =>
      sql`
        INSERT INTO errata.project_contacts AS c (project_id, last_contact_at)
        SELECT id, ${toDate(now)} FROM errata.projects${Buckets.here(sql)}
        WHERE id = ANY (${[...new Set(ids)]}::bigint[]) AND deleted_at IS NULL ORDER BY id
        ON CONFLICT (project_id) DO UPDATE SET last_contact_at = greatest(c.last_contact_at, excluded.last_contact_at)`.pipe(
        Effect.asVoid,
        named("ProjectStore.addContacts"),
      ),

    // Clients report these counts. Capped, because an overflow would roll back the events as well.
    addDiscarded: (discarded, now: DateTime.Utc) =>
      sql`
        INSERT INTO errata.discarded_events AS d (project_id, day, reason, category, quantity)
        SELECT project_id, (${toDate(now)}::timestamptz AT TIME ZONE 'UTC')::date, reason, category,
          least(sum(quantity), ${Number.MAX_SAFE_INTEGER}::bigint)
        FROM ${addedDiscarded.rows(sql, discarded)}${Buckets.here(sql)}
        GROUP BY project_id, reason, category ORDER BY project_id, reason, category
        ON CONFLICT (project_id, day, reason, category)
          DO UPDATE SET quantity = least(d.quantity + excluded.quantity, ${Buckets.numeral(sql, Number.MAX_SAFE_INTEGER)}::bigint)`.pipe(
        Effect.asVoid,
        named("ProjectStore.addDiscarded"),
      ),
  })
})

export const layer = Layer.effect(ProjectStore, make)

// internal

const idRows = Rows.make({ id: int8<ProjectId>() })
const newestRows = Rows.make({ id: int8() })
const credentialRows = Rows.make({ id: int8<ProjectId>(), token: text<ProjectToken>() })

const toUnfinishedMute = (found: object): UnfinishedMute => {
  const row = ProjectRow.unfinishedMuteRows.read(found)
  return { projectId: row.id, mute: ProjectRow.muteOf(row)!, after: row.muteAfter, last: row.muteLast }
}

const addedCounts = Batch.ofFields<ProjectCount>({ projectId: int8(), groups: int8(), reports: int8() })

const addedDiscarded = Batch.ofFields<DiscardedEvents & { readonly projectId: ProjectId }>({
  projectId: int8(),
  reason: text(),
  category: text(),
  quantity: int8(),
})

const given = <Column extends string, A>(column: Column, value: A | undefined) =>
  value === undefined ? {} : { [column]: value }

const muteColumns = (mute: ProjectMute | null) => ({
  muted_at: mute === null ? null : toDate(mute.at),
  muter_id: mute === null ? null : mute.by,
  muted_until: mute?.until == null ? null : toDate(mute.until),
})
