import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gunzip, gzip } from "node:zlib"
import { StorageError } from "@errata/core"
import type { SourcemapFailure } from "@errata/core/internal"
import { HostedMapCache, type HostedOutcome, type HostedScript } from "@errata/core/ports"
import { type Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Buckets from "./internal/Buckets.js"
import { byIndex } from "./internal/ByIndex.js"
import * as PgLiteral from "./internal/PgLiteral.js"
import { named } from "./internal/PgStorageError.js"
import { interval } from "./internal/PgTime.js"
import * as Rows from "./internal/Rows.js"
import { bytea, int8, nullable, text } from "./internal/SqlType.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(outcomeRows.select())

  const isOf = ({ projectId, url }: HostedScript) => sql`project_id = ${projectId} AND script = ${keyOf(url)}`

  const removeClaim = (script: HostedScript, claim: number) => sql`
    DELETE FROM errata.hosted_maps
    WHERE ${isOf(script)} AND claim = ${claim} AND code IS NULL AND map IS NULL`

  /** The same on a cluster. Citus rejects volatile functions in ON CONFLICT. */
  const claimAnew = (script: HostedScript, lease: Duration.Duration) =>
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

  return HostedMapCache.of({
    find: (script) =>
      sql`
        SELECT ${columns} FROM errata.hosted_maps
        WHERE ${isOf(script)} AND ends_at > errata.now() AND (code IS NOT NULL OR map IS NOT NULL)`.pipe(
        named("HostedMapCache.find"),
        Effect.flatMap(([row]) =>
          row === undefined ? Effect.succeedNone : Effect.asSome(toOutcome(outcomeRows.read(row))),
        ),
      ),

    claim: ({ projectId, url }, lease) =>
      (Buckets.of(sql).count
        ? claimAnew({ projectId, url }, lease)
        : sql`
        INSERT INTO errata.hosted_maps AS h (project_id, script, ends_at)
        VALUES (${projectId}, ${keyOf(url)}, errata.now() + ${interval(lease)}::interval)
        ON CONFLICT (project_id, script) DO UPDATE SET
          claim = DEFAULT, ends_at = excluded.ends_at, origins = '{}', code = NULL, url = NULL, map = NULL, size = 0
        WHERE h.ends_at <= errata.now()
        RETURNING claim`
      ).pipe(
        Effect.map(([row]) => Option.map(Option.fromNullishOr(row), (found) => claimRows.read(found).claim)),
        named("HostedMapCache.claim"),
      ),

    settle: (script, claim, { keep, maxBytes, origins, outcome }) =>
      Effect.gen(function* () {
        const found = outcome._tag === "Found" ? outcome.map : null
        const map = found === null ? null : Buffer.from(yield* compressed(found.json))
        const { projectId } = script
        const visited = PgLiteral.texts(origins)
        // The key-share lock serializes this with the removal of an origin. If an origin is gone, nothing is stored.
        const settled = yield* sql`
          WITH authorized AS MATERIALIZED (
            SELECT FROM errata.sourcemap_origins
            WHERE project_id = ${projectId} AND origin = ANY (${visited}::text[]) FOR KEY SHARE
          )
          UPDATE errata.hosted_maps SET
            ends_at = errata.now() + ${interval(keep)}::interval, origins = ${visited}::text[],
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
      }).pipe(named("HostedMapCache.settle")),

    release: (script, claim) =>
      removeClaim(script, claim).pipe(Effect.asVoid, named("HostedMapCache.release")),

    purgeOrigin: (projectId, origin) =>
      sql`
        DELETE FROM errata.hosted_maps
        WHERE project_id = ${projectId} AND origins @> ARRAY[${origin}::text] RETURNING 1`.pipe(
        Effect.map((rows) => rows.length),
        named("HostedMapCache.purgeOrigin"),
      ),

    forgetMissing: (projectId) =>
      sql`DELETE FROM errata.hosted_maps WHERE project_id = ${projectId} AND code IS NOT NULL`.pipe(
        Effect.asVoid,
        named("HostedMapCache.forgetMissing"),
      ),

    expire: (limit) =>
      sql`
        DELETE FROM errata.hosted_maps WHERE (project_id, script) IN (
          SELECT project_id, script FROM errata.hosted_maps WHERE ends_at <= errata.now()
          ORDER BY ends_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ) RETURNING 1`.pipe(
        Effect.map((rows) => rows.length),
        byIndex(sql),
        named("HostedMapCache.expire"),
      ),
  })
})

export const layer = Layer.effect(HostedMapCache, make)

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
        catch: (cause) => new StorageError({ operation: "HostedMapCache.find", reason: "rejected", cause }),
      }).pipe(Effect.map((json) => ({ _tag: "Found", map: { json, url: url! } })))
