import type { EventId, GroupId, ProjectId, ReportId, SourcemapStatus } from "@errata/core"
import {
  type LeasedReport,
  type SourcemapLeaseRequest,
  SourcemapReportStore,
  type UploadedNames,
} from "@errata/core/ports"
import { DateTime, Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import * as Batch from "./internal/Batch.js"
import * as Bodies from "./internal/Bodies.js"
import * as Buckets from "./internal/Buckets.js"
import { named } from "./internal/PgStorageError.js"
import { interval, toDate } from "./internal/PgTime.js"
import * as ReportFrames from "./internal/ReportFrames.js"
import * as ReportRow from "./internal/ReportRow.js"
import * as Rows from "./internal/Rows.js"
import * as SegmentRow from "./internal/SegmentRow.js"
import * as SourcemapQueue from "./internal/SourcemapQueue.js"
import { eventId, int4, int8, nullable, text, time } from "./internal/SqlType.js"
import * as Weeks from "./internal/Weeks.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bodies = yield* Bodies.make

  /** Ids are parameters of the condition itself, so that only their weeks are read. */
  const show = (reports: ReadonlyArray<LeasedReport>, status: SourcemapStatus) => sql`
    UPDATE errata.reports SET sourcemap_status = ${status}, sourcemap_failure_code = NULL, updated_at = errata.now()
    WHERE project_id = ANY (${[...new Set(reports.map(({ projectId }) => projectId))]}::bigint[])
      AND id = ANY (${reports.map(({ reportId }) => reportId)}::bigint[])`

  const isHeld = sql`
    q.project_id = c.project_id AND q.report_id = c.report_id AND q.leases = c.leases AND q.leased_until IS NOT NULL`

  const giveBack = (reports: ReadonlyArray<LeasedReport>, changes: Fragment) =>
    Effect.gen(function* () {
      const rows = yield* sql`
        UPDATE errata.sourcemap_queue AS q SET ${changes} FROM ${leases.rows(sql, reports)}
        WHERE ${isHeld} RETURNING ${sql.literal(leasedRows.select("q"))}`
      if (rows.length > 0) yield* show(rows.map(leasedRows.read), "queued")
    })

  /** Reports of a project that an upload may help. */
  const wanting = ({ from, limit, projectId, since }: Recent, { debugIds, release }: UploadedNames) => sql`
    SELECT id FROM (
      (
        SELECT r.id FROM errata.reports AS r
        WHERE r.project_id = ${projectId} AND r.id >= ${from} AND r.created_at > ${since}
          AND r.sourcemap_wanted && ${`{${debugIds.join(",")}}`}::uuid[]
          AND r.sourcemap_status IN ('not_found', 'failed', 'blocked', 'resolved')
        ORDER BY r.id DESC LIMIT ${limit}
      )
      UNION
      (
        SELECT r.id FROM errata.reports AS r
        WHERE r.project_id = ${projectId} AND r.id >= ${from} AND r.created_at > ${since}
          AND r.release_id = (
            SELECT known.id FROM errata.releases AS known
            WHERE known.project_id = ${projectId} AND md5(known.version) = md5(${release ?? ""})
              AND known.version = ${release ?? ""})
          AND r.sourcemap_status IN ('not_found', 'failed', 'blocked')
        ORDER BY r.id DESC LIMIT ${limit}
      )
    ) AS found ORDER BY id DESC LIMIT ${limit}`

  /** Reports without a map among the newest. */
  const latest = ({ from, limit, projectId, since }: Recent) => sql`
    SELECT newest.id FROM (
      SELECT r.id, r.created_at, r.sourcemap_status FROM errata.reports AS r
      WHERE r.project_id = ${projectId} AND r.id >= ${from} ORDER BY r.id DESC LIMIT ${limit}
    ) AS newest
    WHERE newest.created_at > ${since} AND newest.sourcemap_status IN ('not_found', 'failed', 'blocked')`

  /** Projects in the queue, with one index lookup each. */
  const waiting = sql`RECURSIVE waiting AS (
    (SELECT project_id FROM errata.sourcemap_queue ORDER BY project_id LIMIT 1)
    UNION ALL
    SELECT next.project_id FROM waiting AS last CROSS JOIN LATERAL (
      SELECT project_id FROM errata.sourcemap_queue
      WHERE project_id > last.project_id ORDER BY project_id LIMIT 1
    ) AS next
  )`

  /** Citus does not support recursive queries with row locks. */
  const waitingInBucket = sql`waiting AS (SELECT DISTINCT project_id FROM errata.sourcemap_queue)`

  const candidatesOf = (perProject: number) => sql`
    candidates AS (
      SELECT w.project_id, c.report_id, c.turn,
        row_number() OVER (PARTITION BY w.project_id ORDER BY c.turn) AS place
      FROM waiting AS w
      JOIN errata.projects AS p ON p.id = w.project_id AND p.deleted_at IS NULL
      CROSS JOIN LATERAL (
        SELECT q.report_id, q.turn FROM errata.sourcemap_queue AS q
        WHERE q.project_id = w.project_id AND (q.leased_until IS NULL OR q.leased_until <= errata.now())
          AND (q.due_at IS NULL OR q.due_at <= errata.now())
        ORDER BY q.turn
        LIMIT greatest(0, ${perProject}::integer - (
          SELECT count(*) FROM errata.sourcemap_queue AS held
          WHERE held.project_id = w.project_id AND held.leased_until > errata.now()))
      ) AS c
    )`

  const taken = (limit: number) => sql`
    SELECT q.project_id, q.report_id, c.rank
    FROM (
      SELECT project_id, report_id, row_number() OVER (ORDER BY place, turn) AS rank
      FROM candidates ORDER BY place, turn LIMIT ${limit}
    ) AS c
    JOIN errata.sourcemap_queue AS q ON q.project_id = c.project_id AND q.report_id = c.report_id
    -- Another node may have taken them since.
    WHERE (q.leased_until IS NULL OR q.leased_until <= errata.now())
      AND (q.due_at IS NULL OR q.due_at <= errata.now())
    FOR NO KEY UPDATE OF q SKIP LOCKED`

  const take = (from: Fragment, duration: Duration.Duration) => sql`
    UPDATE errata.sourcemap_queue AS q
    SET leased_until = errata.now() + ${interval(duration)}::interval, leases = q.leases + 1
    FROM ${from} AS t WHERE q.project_id = t.project_id AND q.report_id = t.report_id
    RETURNING ${sql.literal(takenRows.select("q", { rank: "t.rank" }))}`

  const lease = ({ duration, limit, perProject }: SourcemapLeaseRequest) => sql`
    WITH ${waiting}, ${candidatesOf(perProject)}, taken AS (${taken(limit)})
    ${take(sql`taken`, duration)}`

  /** The same in two statements of one transaction: Citus cannot read locked rows in a part of a statement. */
  const leaseInSteps = ({ duration, limit, perProject }: SourcemapLeaseRequest) =>
    Effect.gen(function* () {
      const rows = yield* sql`WITH ${waitingInBucket}, ${candidatesOf(perProject)} ${taken(limit)}`
      if (rows.length === 0) return []
      const found = ranked.rows(sql, rows.map(rankedRows.read))
      return yield* take(sql`(SELECT c.* FROM ${found})`, duration)
    })

  return SourcemapReportStore.of({
    lease: (request) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            const rows = yield* (Buckets.of(sql).count ? leaseInSteps : lease)(request)
            const taken = rows.map(takenRows.read).sort((self, that) => self.rank - that.rank)
            const leased = taken.map(({ rank: _, ...report }) => report)
            if (leased.length > 0) yield* show(leased, "fetching")
            return leased
          }),
        )
        .pipe(named("SourcemapReportStore.lease")),

    release: (reports) =>
      reports.length === 0
        ? Effect.void
        : sql
            .withTransaction(giveBack(reports, sql`leased_until = NULL, leases = q.leases - 1`))
            .pipe(named("SourcemapReportStore.release")),

    renew: (reports, duration) =>
      reports.length === 0
        ? Effect.void
        : sql`
            UPDATE errata.sourcemap_queue AS q SET leased_until = errata.now() + ${interval(duration)}::interval
            FROM ${leases.rows(sql, reports)} WHERE ${isHeld}`.pipe(
            Effect.asVoid,
            named("SourcemapReportStore.renew"),
          ),

    postpone: (report, pause) =>
      sql
        .withTransaction(
          giveBack(
            [report],
            sql`leased_until = NULL, leases = q.leases - 1, postponed = q.postponed + 1,
              due_at = errata.now() + ${interval(pause)}::interval`,
          ),
        )
        .pipe(named("SourcemapReportStore.postpone")),

    find: ({ projectId, reportId }) =>
      Effect.gen(function* () {
        const [row] = yield* sql`
          SELECT ${sql.literal(sourceColumns)}
          FROM errata.reports AS r
          LEFT JOIN LATERAL (
            SELECT * FROM errata.segments AS s WHERE s.project_id = r.project_id AND s.id = r.segment_id LIMIT 1
          ) AS s ON true
          WHERE r.project_id = ${projectId} AND r.id = ${reportId}`
        if (row === undefined) return Option.none()
        const { eventId, groupId, ...place } = sourceRows.read(row)
        const payload = yield* Bodies.orUnavailable(bodies.find({ projectId, ...place }))
        return Option.some({ groupId, eventId, payload })
      }).pipe(named("SourcemapReportStore.find")),

    settle: ({ leases, projectId, reportId }, { culprit, resolution }, now) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            const held = yield* sql`
              DELETE FROM errata.sourcemap_queue
              WHERE project_id = ${projectId} AND report_id = ${reportId} AND leases = ${leases}
                AND leased_until IS NOT NULL
              RETURNING 1`
            if (held.length === 0) return false
            const { failureCode, frames, status, wantedIds } = resolution
            const changed = yield* sql`
              UPDATE errata.reports
              SET sourcemap_status = nullif(${status}, 'unprocessed'), sourcemap_failure_code = ${failureCode},
                sourcemap_attempted_at = ${toDate(now)}, updated_at = ${toDate(now)},
                sourcemap_wanted = ${wantedIds.length === 0 ? null : `{${wantedIds.join(",")}}`}::uuid[],
                culprit = coalesce(${culprit}, culprit)
              WHERE project_id = ${projectId} AND id = ${reportId}
              RETURNING 1`
            // If retention removed the report, its frames are not stored.
            if (frames !== null && changed.length > 0) {
              yield* ReportFrames.insert(sql, [{ projectId, reportId, json: frames }])
            }
            return true
          }),
        )
        .pipe(named("SourcemapReportStore.settle")),

    lock: ({ projectId, reportId }) =>
      sql`
        SELECT ${sql.literal(stateRows.select("r"))} FROM errata.reports AS r
        WHERE r.project_id = ${projectId} AND r.id = ${reportId} FOR NO KEY UPDATE`.pipe(
        Effect.map(([row]) =>
          Option.map(Option.fromNullishOr(row), (row) => {
            const state = stateRows.read(row)
            return {
              status: state.sourcemapStatus,
              failureCode: state.sourcemapFailureCode,
              attemptedAt: state.sourcemapAttemptedAt,
            }
          }),
        ),
        named("SourcemapReportStore.lock"),
      ),

    queue: (report, now) =>
      sql
        .withTransaction(
          Effect.andThen(
            sql`
              UPDATE errata.reports
              SET sourcemap_status = 'queued', sourcemap_failure_code = NULL, updated_at = ${toDate(now)}
              WHERE project_id = ${report.projectId} AND id = ${report.reportId}`,
            SourcemapQueue.add(sql, [report]),
          ),
        )
        .pipe(Effect.asVoid, named("SourcemapReportStore.queue")),

    requeue: (projectId, uploaded, { limit, maxAge }, now) =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            const from = Weeks.firstIdAt(now.epochMilliseconds - Duration.toMillis(maxAge))
            const since = toDate(DateTime.subtractDuration(now, maxAge))
            const place = { projectId, from, since, limit }
            const found = yield* uploaded === "latest" ? latest(place) : wanting(place, uploaded)
            if (found.length === 0) return 0
            const ids = found.map((row) => idRows.read(row).id)
            const queued = yield* sql`
              WITH locked AS MATERIALIZED (
                SELECT r.id FROM errata.reports AS r
                WHERE r.project_id = ${projectId} AND r.id = ANY (${ids}::bigint[])
                  AND r.sourcemap_status IN ('not_found', 'failed', 'blocked', 'resolved')
                ORDER BY r.id FOR NO KEY UPDATE SKIP LOCKED
              ),
              shown AS (
                UPDATE errata.reports AS r
                SET sourcemap_status = 'queued', sourcemap_failure_code = NULL, updated_at = ${toDate(now)}
                WHERE r.project_id = ${projectId} AND r.id = ANY (${ids}::bigint[])
                  AND r.id IN (SELECT id FROM locked)
              )
              INSERT INTO errata.sourcemap_queue (project_id, report_id, turn)
              SELECT ${projectId}::bigint, id, ${sql.literal(SourcemapQueue.turnOfLate)} id FROM locked
              ON CONFLICT DO NOTHING RETURNING 1`
            return queued.length
          }),
        )
        .pipe(named("SourcemapReportStore.requeue")),
  })
})

export const layer = Layer.effect(SourcemapReportStore, make)

// internal

/** The reports of a project from an id and a time on. */
interface Recent {
  readonly projectId: ProjectId
  readonly from: number
  readonly since: Date
  readonly limit: number
}

const place = { projectId: int8<ProjectId>(), reportId: int8<ReportId>() }
const leasedColumns = { ...place, leases: int4(), postponed: int4() }
const leasedRows = Rows.make(leasedColumns)

/** `rank` is the place in the result: an update returns its rows in any order. */
const rankedColumns = { ...place, rank: int8() }
const rankedRows = Rows.make(rankedColumns)
const ranked = Batch.ofFields<Rows.RowOf<typeof rankedColumns>>(rankedColumns)
const takenRows = Rows.make({ ...leasedColumns, rank: int8() })

const leases = Batch.ofFields<Omit<LeasedReport, "postponed">>({
  projectId: int8(),
  reportId: int8(),
  leases: int4(),
})

const sourceRows = Rows.make({
  groupId: int8<GroupId>(),
  eventId: nullable<EventId, string>(eventId),
  segmentId: nullable(int8()),
  segmentPosition: nullable(int4()),
  ...SegmentRow.joined,
})
const sourceColumns = sourceRows.select("r", SegmentRow.joinedColumns)

const stateRows = Rows.make({
  sourcemapStatus: ReportRow.sourcemapStatus,
  sourcemapFailureCode: nullable(text()),
  sourcemapAttemptedAt: nullable(time),
})

const idRows = Rows.make({ id: int8() })
