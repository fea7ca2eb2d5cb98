import { Page, type ReleaseId, reservedTags } from "@errata/core"
import { lastCommitOf, type ReleaseFigures, type ReleasePlace, ReleaseStore } from "@errata/core/ports"
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Batch from "./internal/Batch.js"
import { named } from "./internal/PgStorageError.js"
import { toDate } from "./internal/PgTime.js"
import * as ReleaseRow from "./internal/ReleaseRow.js"
import * as Rows from "./internal/Rows.js"
import { boolean, int8, millis, nullable, text, texts } from "./internal/SqlType.js"
import * as TagCounts from "./internal/TagCounts.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(ReleaseRow.releaseColumns)

  const setCommits = (
    projectId: number,
    id: number,
    commits: ReadonlyArray<Omit<ReleaseRow.PlacedCommit, "position">>,
  ) =>
    Effect.gen(function* () {
      yield* sql`DELETE FROM errata.release_commits WHERE project_id = ${projectId} AND release_id = ${id}`
      if (commits.length === 0) return
      const placed = commits.map((commit, position) => ({ ...commit, position }))
      yield* sql`
        INSERT INTO errata.release_commits (project_id, release_id, ${sql.literal(ReleaseRow.insertedCommits.columns)})
        SELECT ${projectId}::bigint, ${id}::bigint, ${sql.literal(ReleaseRow.insertedCommits.values)}
        FROM ${ReleaseRow.insertedCommits.rows(sql, placed)}`
    })

  const readCommits = (projectId: number, id: number) =>
    Effect.map(
      sql`
        SELECT ${sql.literal(ReleaseRow.commits.select())} FROM errata.release_commits
        WHERE project_id = ${projectId} AND release_id = ${id} ORDER BY position`,
      (rows) => rows.map(ReleaseRow.commits.read),
    )

  const find = (projectId: number, id: number) =>
    Effect.map(
      sql`SELECT ${columns} FROM errata.releases AS r WHERE r.project_id = ${projectId} AND r.id = ${id}`,
      (rows) => Array.head(rows.map(ReleaseRow.toRelease)),
    )

  return ReleaseStore.of({
    upsert: (projectId, version, change, now) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            const at = toDate(now)
            // The upsert also locks an existing release, so that it cannot be removed before the update below.
            const [row] = yield* sql`
              INSERT INTO errata.releases (project_id, version, announced, created_at, updated_at)
              VALUES (${projectId}, ${version}, true, ${at}, ${at})
              ON CONFLICT (project_id, md5(version)) DO UPDATE SET updated_at = excluded.updated_at
              RETURNING id, xmax = 0 AS is_new`
            const { id, isNew } = upsertedRows.read(row!)
            const fields = {
              ...(change.status === undefined ? {} : { status: change.status }),
              ...(change.ref === undefined ? {} : { ref: change.ref }),
              ...(change.url === undefined ? {} : { url: change.url }),
              ...(change.startedAt === undefined
                ? {}
                : { started_at: change.startedAt === null ? null : toDate(change.startedAt) }),
              ...(change.releasedAt === undefined
                ? {}
                : { released_at: change.releasedAt === null ? null : toDate(change.releasedAt) }),
              ...(change.refs === undefined ? {} : { refs: JSON.stringify(change.refs) }),
              ...(change.commits === undefined ? {} : { commits_count: change.commits.length }),
            }
            const [changed] = yield* sql`
              UPDATE errata.releases SET ${sql.update({ ...fields, updated_at: at })}
              WHERE project_id = ${projectId} AND id = ${id} RETURNING refs`
            const { refs } = changedRows.read(changed!)
            if (change.commits !== undefined) yield* setCommits(projectId, id, change.commits)
            if (change.commits !== undefined || change.refs !== undefined) {
              const commits = change.commits ?? (yield* readCommits(projectId, id))
              yield* sql`
                UPDATE errata.releases SET last_commit = ${lastCommitOf(refs, commits)}
                WHERE project_id = ${projectId} AND id = ${id}`
            }
            const [release] = yield* sql`
              SELECT ${columns} FROM errata.releases AS r WHERE r.project_id = ${projectId} AND r.id = ${id}`
            return { release: ReleaseRow.toRelease(release!), isNew }
          }),
        )
        .pipe(named("ReleaseStore.upsert")),

    // Locks the project's row, because rows that do not exist yet cannot be locked.
    lockCount: (projectId) =>
      Effect.gen(function* () {
        yield* sql`SELECT FROM errata.projects WHERE id = ${projectId} FOR NO KEY UPDATE`
        const [row] = yield* sql`
          SELECT count(*) AS count FROM errata.releases WHERE project_id = ${projectId} AND announced`
        return countRows.read(row!).count
      }).pipe(named("ReleaseStore.lockCount")),

    find: (projectId, id) => named("ReleaseStore.find")(find(projectId, id)),

    findVersion: (projectIds, version) =>
      sql`
        SELECT ${columns} FROM errata.releases AS r
        WHERE r.project_id = ANY (${[...new Set(projectIds)]}::bigint[])
          AND md5(r.version) = md5(${version}) AND r.version = ${version}
        ORDER BY r.project_id`.pipe(
        Effect.map((rows) => rows.map(ReleaseRow.toRelease)),
        named("ReleaseStore.findVersion"),
      ),

    list: (projectId, page) =>
      sql`
        SELECT ${columns} FROM errata.releases AS r
        WHERE r.project_id = ${projectId} AND r.id < ${page.cursor ?? Number.MAX_SAFE_INTEGER}
        ORDER BY r.id DESC LIMIT ${page.limit + 1}`.pipe(
        Effect.map((rows) => Page.fromRows(rows.map(ReleaseRow.toRelease), page)),
        named("ReleaseStore.list"),
      ),

    newestVersions: (projectId, limit) =>
      sql`
        SELECT version FROM errata.releases WHERE project_id = ${projectId}
        ORDER BY coalesce(released_at, created_at) DESC, id DESC LIMIT ${limit}`.pipe(
        Effect.map((rows) => rows.map((row) => versionRows.read(row).version)),
        named("ReleaseStore.newestVersions"),
      ),

    knownVersions: (projectId, versions) =>
      sql`
        SELECT r.version
        FROM ${asked.rows(
          sql,
          [...new Set(versions)].map((version) => ({ version })),
        )}
        CROSS JOIN LATERAL (
          SELECT r.version FROM errata.releases AS r
          WHERE r.project_id = ${projectId} AND md5(r.version) = md5(c.version) AND r.version = c.version LIMIT 1
        ) AS r`.pipe(
        Effect.map((rows) => rows.map((row) => versionRows.read(row).version)),
        named("ReleaseStore.knownVersions"),
      ),

    firstSeen: (releases) =>
      sql`/* prepared */
        SELECT c.ordinality AS position, r.first_seen_at
        FROM ${places.rows(sql, releases)}
        CROSS JOIN LATERAL (
          SELECT r.first_seen_at FROM errata.releases AS r
          WHERE r.project_id = c.project_id AND md5(r.version) = md5(c.version) AND r.version = c.version LIMIT 1
        ) AS r`.pipe(
        Effect.map((rows) => {
          const seen = releases.map((): number | null => null)
          for (const { firstSeenAt, position } of rows.map(seenRows.read)) seen[position - 1] = firstSeenAt
          return seen
        }),
        named("ReleaseStore.firstSeen"),
      ),

    // Uses the tag counts that group filters use, so recording needs no further counters. Pending tag counts are read
    // in the same snapshot, so nothing is counted twice or missed.
    figures: (projectId, versions) =>
      Effect.gen(function* () {
        if (versions.length === 0) return []
        const rows = yield* sql`
          SELECT c.ordinality AS position, t.groups, t.reports, t.new_groups, u.counts
          FROM ${asked.rows(
            sql,
            versions.map((version) => ({ version })),
          )}
          CROSS JOIN LATERAL (
            SELECT count(*) AS groups, coalesce(sum(t.count), 0)::bigint AS reports,
              count(*) FILTER (WHERE e.first_release = c.version) AS new_groups
            FROM errata.group_tags AS t
            LEFT JOIN LATERAL (
              SELECT e.first_release FROM errata.group_evidence AS e
              WHERE e.project_id = ${projectId} AND e.group_id = t.group_id LIMIT 1
            ) AS e ON true
            WHERE t.project_id = ${projectId} AND t.tag = errata.tag_hash(${reservedTags.release}, c.version)
          ) AS t
          LEFT JOIN (SELECT array_agg(tags) AS counts FROM errata.uncounted) AS u ON c.ordinality = 1`
        const read = rows.map(figureRows.read)
        const figures = versions.map((): Figures => ({ reports: 0, groups: 0, newGroups: 0 }))
        const placeOf = new Map(versions.map((version, place) => [version, place]))
        for (const { groups, newGroups, position, reports } of read) {
          figures[position - 1] = { reports, groups, newGroups }
        }
        for (const { count, key, projectId: of, value } of TagCounts.sum(
          read.flatMap(({ counts }) => counts ?? []),
        )) {
          const place = of === projectId && key === reservedTags.release ? placeOf.get(value) : undefined
          if (place !== undefined) figures[place]!.reports += count
        }
        return figures as ReadonlyArray<ReleaseFigures>
      }).pipe(named("ReleaseStore.figures")),

    removeUnseen: (projectId, id) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            const removed = yield* sql`
              DELETE FROM errata.releases
              WHERE project_id = ${projectId} AND id = ${id} AND first_seen_at IS NULL RETURNING id`
            if (removed.length === 0) return false
            yield* sql`DELETE FROM errata.release_commits WHERE project_id = ${projectId} AND release_id = ${id}`
            yield* sql`DELETE FROM errata.release_deploys WHERE project_id = ${projectId} AND release_id = ${id}`
            return true
          }),
        )
        .pipe(named("ReleaseStore.removeUnseen")),

    commits: (projectId, id) => named("ReleaseStore.commits")(readCommits(projectId, id)),

    addDeploy: (projectId, id, { environment, finishedAt, name, startedAt, url }, kept) =>
      Effect.gen(function* () {
        const [row] = yield* sql`
          INSERT INTO errata.release_deploys ${sql.insert({
            project_id: projectId,
            release_id: id,
            environment,
            name,
            url,
            started_at: startedAt === null ? null : toDate(startedAt),
            finished_at: toDate(finishedAt),
          })} RETURNING ${sql.literal(ReleaseRow.deployColumns)}`
        yield* sql`
          DELETE FROM errata.release_deploys
          WHERE project_id = ${projectId} AND release_id = ${id} AND id < (
            SELECT min(id) FROM (
              SELECT id FROM errata.release_deploys WHERE project_id = ${projectId} AND release_id = ${id}
              ORDER BY id DESC LIMIT ${kept}
            ) AS newest
          )`
        return ReleaseRow.toDeploy(row!)
      }).pipe(named("ReleaseStore.addDeploy")),

    deploys: (projectId, id) =>
      sql`
        SELECT ${sql.literal(ReleaseRow.deployColumns)} FROM errata.release_deploys
        WHERE project_id = ${projectId} AND release_id = ${id} ORDER BY id DESC`.pipe(
        Effect.map((rows) => rows.map(ReleaseRow.toDeploy)),
        named("ReleaseStore.deploys"),
      ),
  })
})

export const layer = Layer.effect(ReleaseStore, make)

// internal

type Figures = { -readonly [K in keyof ReleaseFigures]: number }

const asked = Batch.ofFields<{ readonly version: string }>({ version: text() }, "ordinality")

const places = Batch.ofFields<ReleasePlace>({ projectId: int8(), version: text() }, "ordinality")
const seenRows = Rows.make({ position: int8(), firstSeenAt: nullable(millis) })

const versionRows = Rows.make({ version: text() })
const countRows = Rows.make({ count: int8() })
const upsertedRows = Rows.make({ id: int8<ReleaseId>(), isNew: boolean })
const changedRows = ReleaseRow.changed
const figureRows = Rows.make({
  position: int8(),
  groups: int8(),
  reports: int8(),
  newGroups: int8(),
  counts: nullable(texts()),
})
