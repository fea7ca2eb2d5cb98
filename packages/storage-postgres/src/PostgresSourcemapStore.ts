import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gunzip, gzip } from "node:zlib"
import {
  Page,
  type ProjectId,
  type SourcemapOrigin,
  type SourcemapOriginId,
  StorageError,
} from "@errata/core"
import type { SourcemapFailure } from "@errata/core/internal"
import { type HostedOutcome, type HostedScript, SourcemapStore } from "@errata/core/ports"
import { Array, type Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { byIndex } from "./internal/ByIndex.js"
import { named } from "./internal/PgStorageError.js"
import { interval, toDate } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { bytea, int8, nullable, text, time } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const originColumns = sql.literal(originRows.select())
  const columns = sql.literal(outcomeRows.select())

  const isOf = ({ projectId, url }: HostedScript) => sql`project_id = ${projectId} AND script = ${keyOf(url)}`

  const removeClaim = (script: HostedScript, claim: number) => sql`
    DELETE FROM errata.hosted_maps
    WHERE ${isOf(script)} AND claim = ${claim} AND code IS NULL AND map IS NULL`

  /** In two steps: Citus rejects volatile functions in ON CONFLICT. */
  const claim = (script: HostedScript, lease: Duration.Duration) =>
    sql.withTransaction(
      Effect.andThen(
        sql`DELETE FROM errata.hosted_maps WHERE ${isOf(script)} AND ends_at <= errata.now()`,
        sql`
          INSERT INTO errata.hosted_maps (project_id, script, ends_at)
          VALUES (${script.projectId}, ${keyOf(script.url)}, errata.now() + ${interval(lease)}::interval)
          ON CONFLICT (project_id, script) DO NOTHING
          RETURNING claim`,
      ),
    )

  return SourcemapStore.of({
    insertOrigin: (projectId, origin, now) =>
      sql`
        INSERT INTO errata.sourcemap_origins ${sql.insert({
          project_id: projectId,
          origin,
          created_at: toDate(now),
          updated_at: toDate(now),
        })}
        ON CONFLICT (project_id, origin) DO NOTHING RETURNING ${originColumns}`.pipe(
        Effect.map((rows) => Array.head(rows.map(toOrigin))),
        Effect.tap(sql`DELETE FROM errata.hosted_maps WHERE project_id = ${projectId} AND code IS NOT NULL`),
        named("SourcemapStore.insertOrigin"),
      ),

    // Locks the project's row, because rows that do not exist yet cannot be locked.
    lockOriginCount: (projectId) =>
      Effect.gen(function* () {
        yield* sql`SELECT FROM errata.projects WHERE id = ${projectId} FOR NO KEY UPDATE`
        const [row] = yield* sql`
          SELECT count(*) AS count FROM errata.sourcemap_origins WHERE project_id = ${projectId}`
        return countRows.read(row!).count
      }).pipe(named("SourcemapStore.lockOriginCount")),

    listOrigins: (projectId, page) =>
      sql`
        SELECT ${originColumns} FROM errata.sourcemap_origins
        WHERE project_id = ${projectId} AND id < ${page.cursor ?? Number.MAX_SAFE_INTEGER}
        ORDER BY id DESC LIMIT ${page.limit + 1}`.pipe(
        Effect.map((rows) => Page.fromRows(rows.map(toOrigin), page)),
        named("SourcemapStore.listOrigins"),
      ),

    // Two statements: the second one sees maps of a concurrent `settleMap`, for which the first one waited.
    removeOrigin: (projectId, id) =>
      Effect.gen(function* () {
        const removed = yield* sql`
          DELETE FROM errata.sourcemap_origins WHERE project_id = ${projectId} AND id = ${id}
          RETURNING ${originColumns}`
        for (const { origin } of removed.map(toOrigin)) {
          yield* sql`
            DELETE FROM errata.hosted_maps
            WHERE project_id = ${projectId} AND origins @> ARRAY[${origin}::text]`
        }
        return removed.length > 0
      }).pipe(named("SourcemapStore.removeOrigin")),

    findMap: (script) =>
      sql`
        SELECT ${columns} FROM errata.hosted_maps
        WHERE ${isOf(script)} AND ends_at > errata.now() AND (code IS NOT NULL OR map IS NOT NULL)`.pipe(
        named("SourcemapStore.findMap"),
        Effect.flatMap(([row]) =>
          row === undefined ? Effect.succeedNone : Effect.asSome(toOutcome(outcomeRows.read(row))),
        ),
      ),

    claimMap: (script, lease) =>
      claim(script, lease).pipe(
        Effect.map(([row]) => Option.map(Option.fromNullishOr(row), (found) => claimRows.read(found).claim)),
        named("SourcemapStore.claimMap"),
      ),

    settleMap: (script, claim, { keep, maxBytes, origins, outcome }) =>
      Effect.gen(function* () {
        const found = outcome._tag === "Found" ? outcome.map : null
        const map = found === null ? null : Buffer.from(yield* compressed(found.json))
        const { projectId } = script
        // The key-share lock serializes this with the removal of an origin. If an origin is gone, nothing is stored.
        const settled = yield* sql`
          WITH authorized AS MATERIALIZED (
            SELECT FROM errata.sourcemap_origins
            WHERE project_id = ${projectId} AND origin = ANY (${origins}::text[]) FOR KEY SHARE
          )
          UPDATE errata.hosted_maps SET
            ends_at = errata.now() + ${interval(keep)}::interval, origins = ${origins}::text[],
            code = ${outcome._tag === "Missing" ? outcome.code : null}::text, url = ${found?.url ?? null}::text,
            map = ${map}::bytea, size = ${found?.json.length ?? 0}::bigint
          WHERE ${isOf(script)} AND claim = ${claim}
            AND (SELECT count(*) FROM authorized) = ${origins.length}::bigint
          RETURNING 1`
        if (settled.length === 0) yield* removeClaim(script, claim)
        else
          yield* sql`
          DELETE FROM errata.hosted_maps WHERE project_id = ${projectId} AND claim = ANY (ARRAY(
            SELECT claim FROM (
              SELECT claim, size, sum(size) OVER (ORDER BY claim DESC) AS total FROM errata.hosted_maps
              WHERE project_id = ${projectId}
            ) AS h WHERE size > 0 AND total > ${maxBytes}::bigint
          ))`
      }).pipe(named("SourcemapStore.settleMap")),

    releaseMap: (script, claim) =>
      removeClaim(script, claim).pipe(Effect.asVoid, named("SourcemapStore.releaseMap")),

    expireMaps: (limit) =>
      sql`
        DELETE FROM errata.hosted_maps WHERE (project_id, script) IN (
          SELECT project_id, script FROM errata.hosted_maps WHERE ends_at <= errata.now()
          ORDER BY ends_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ) RETURNING 1`.pipe(
        Effect.map((rows) => rows.length),
        byIndex(sql),
        named("SourcemapStore.expireMaps"),
      ),
  })
})

export const layer = Layer.effect(SourcemapStore, make)

// internal

const claimRows = Rows.make({ claim: int8() })

const outcomeRows = Rows.make({
  code: nullable(text<SourcemapFailure.SourcemapFailureCode>()),
  url: nullable(text()),
  map: nullable(bytea),
})

const keyOf = (url: string): Buffer => createHash("sha256").update(url).digest()

const compressed = (bytes: Uint8Array): Effect.Effect<Uint8Array> =>
  Effect.promise(() => promisify(gzip)(bytes))

const toOutcome = ({
  code,
  map,
  url,
}: ReturnType<typeof outcomeRows.read>): Effect.Effect<HostedOutcome, StorageError> =>
  map === null
    ? Effect.succeed({ _tag: "Missing", code: code! })
    : Effect.tryPromise({
        try: () => promisify(gunzip)(map),
        catch: (cause) =>
          new StorageError({ operation: "SourcemapStore.findMap", reason: "rejected", cause }),
      }).pipe(Effect.map((json) => ({ _tag: "Found", map: { json, url: url! } })))

const countRows = Rows.make({ count: int8() })

const originRows = Rows.make({
  id: int8<SourcemapOriginId>(),
  projectId: int8<ProjectId>(),
  origin: text(),
  createdAt: time,
  updatedAt: time,
})

const toOrigin = (row: object): SourcemapOrigin => originRows.read(row)
