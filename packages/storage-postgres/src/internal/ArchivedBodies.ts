/** Reads segments from the object store. */
import type { BodyProblem, ProjectId } from "@errata/core"
import { ObjectStore, ObjectStoreError, type ObjectStoreService } from "@errata/core/ports"
import { Effect, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { type ArchivedSegment, decode, pageRecords, recordBytes, segmentOf } from "./ArchiveIndex.js"
import * as Rows from "./Rows.js"
import { int4, int8, text } from "./SqlType.js"
import * as Weeks from "./Weeks.js"

/** The segment, or null if the object store does not have it either. */
export type Found = Result.Result<ArchivedSegment | null, BodyProblem>

export interface ArchivedBodies {
  /** Finds a segment that is not in the database. Takes a few seconds at most, even if the store is slow. */
  readonly find: (projectId: ProjectId, segmentId: number) => Effect.Effect<Found, SqlError>
}

export const make: Effect.Effect<ArchivedBodies, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const store = yield* ObjectStore
  const locate = (projectId: ProjectId, segmentId: number) =>
    Effect.map(
      sql`
        SELECT a.name, a.page_offsets[p.page] AS page_offset, least(${pageRecords}, a.segments_count - ${pageRecords} * (p.page - 1)) AS records
        FROM errata.archives AS a CROSS JOIN LATERAL (SELECT width_bucket(${segmentId}::bigint, a.page_ids) AS page) AS p
        WHERE a.project_id = ${projectId} AND a.week = ${Weeks.weekOf(segmentId)} AND a.state = 'live' AND p.page > 0`,
      ([row]) => (row === undefined ? null : placeRows.read(row)),
    )

  /** Logs each problem of an object once. */
  const tell = (name: string, problem: BodyProblem, error: ObjectStoreError | null) =>
    Effect.suspend(() => {
      const key = `${problem} ${name}`
      if (loggedKeys.has(key) || loggedKeys.size >= maxLoggedKeys) return Effect.void
      loggedKeys.add(key)
      return Effect.annotateLogs(Effect.logError("Bodies of reports cannot be read from the object store"), {
        object: name,
        problem,
        ...(error === null ? {} : { reason: error.message }),
      })
    })

  const find: ArchivedBodies["find"] = (projectId, segmentId) =>
    Effect.gen(function* () {
      const place = yield* locate(projectId, segmentId)
      if (place === null) return Result.succeed(null)
      if (store === null) return Result.fail("no_store" as const)
      const read = yield* Effect.result(inTime(readAt(store, place, segmentId)))
      const problem = Result.isFailure(read) ? ("unreachable" as const) : read.success
      if (typeof problem !== "string") return Result.succeed(problem)
      yield* tell(place.name, problem, Result.isFailure(read) ? read.failure : null)
      return Result.fail(problem)
    })

  return { find }
})

// internal

/** Limits the delay for the rest of the report. */
const inTime = <A>(reading: Effect.Effect<A, ObjectStoreError>) =>
  Effect.timeoutOrElse(reading, {
    duration: "5 seconds",
    orElse: () => {
      const cause = new Error("the object store did not respond in time")
      return Effect.fail(new ObjectStoreError({ operation: "ObjectStore.read", cause }))
    },
  })

/** The problems that this process has logged. */
const loggedKeys = new Set<string>()
const maxLoggedKeys = 1000

const placeRows = Rows.make({ name: text(), pageOffset: int8(), records: int4() })

type Place = ReturnType<typeof placeRows.read>

const readAt = (
  store: ObjectStoreService,
  { name, pageOffset, records }: Place,
  segmentId: number,
): Effect.Effect<ArchivedSegment | "missing" | "damaged", ObjectStoreError> =>
  Effect.gen(function* () {
    const page = yield* store.read(name, pageOffset, records * recordBytes)
    if (Option.isNone(page)) return "missing"
    const record = decode(page.value).find(({ id }) => id === segmentId)
    if (record === undefined || record.length > maxBodyBytes || record.offset >= pageOffset) return "damaged"
    const body = yield* store.read(name, record.offset, record.length)
    return Option.isNone(body) ? "missing" : (segmentOf(record, body.value) ?? "damaged")
  })

/** PostgreSQL's limit. */
const maxBodyBytes = 1024 ** 3
