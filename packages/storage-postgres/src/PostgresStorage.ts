/** All ports of the core on one PostgreSQL database. */

import { type Services, StorageError } from "@errata/core"
import { type HealthStore, Storage } from "@errata/core/ports"
import { Cause, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { SqlError } from "effect/sql/SqlError"
import * as Archiving from "./internal/Archiving.js"
import * as Bodies from "./internal/Bodies.js"
import * as Buckets from "./internal/Buckets.js"
import * as Dictionaries from "./internal/Dictionaries.js"
import { named, storageError } from "./internal/PgStorageError.js"
import * as Routed from "./internal/Routed.js"
import * as Rows from "./internal/Rows.js"
import { time } from "./internal/SqlType.js"
import * as Weeks from "./internal/Weeks.js"
import type { PgPool } from "./PgPool.js"
import * as PostgresActivityStore from "./PostgresActivityStore.js"
import * as PostgresAlertStore from "./PostgresAlertStore.js"
import * as PostgresAppStore from "./PostgresAppStore.js"
import * as PostgresArtifactStore from "./PostgresArtifactStore.js"
import * as PostgresBlobStore from "./PostgresBlobStore.js"
import * as PostgresClient from "./PostgresClient.js"
import * as PostgresCredentialStore from "./PostgresCredentialStore.js"
import * as PostgresDeliveryStore from "./PostgresDeliveryStore.js"
import * as PostgresDiskSpace from "./PostgresDiskSpace.js"
import * as PostgresGroupEventStore from "./PostgresGroupEventStore.js"
import * as PostgresGroupStore from "./PostgresGroupStore.js"
import * as PostgresHealthStore from "./PostgresHealthStore.js"
import * as PostgresIngestStatistics from "./PostgresIngestStatistics.js"
import * as PostgresJobStore from "./PostgresJobStore.js"
import * as PostgresMemberMailStore from "./PostgresMemberMailStore.js"
import * as PostgresNoteStore from "./PostgresNoteStore.js"
import * as PostgresOAuthStore from "./PostgresOAuthStore.js"
import * as PostgresPendingPayloads from "./PostgresPendingPayloads.js"
import * as PostgresPolicyStore from "./PostgresPolicyStore.js"
import * as PostgresProjectStore from "./PostgresProjectStore.js"
import * as PostgresRateLimitStore from "./PostgresRateLimitStore.js"
import * as PostgresReleaseStore from "./PostgresReleaseStore.js"
import * as PostgresReportStore from "./PostgresReportStore.js"
import * as PostgresRetentionStore from "./PostgresRetentionStore.js"
import * as PostgresSourcemapReportStore from "./PostgresSourcemapReportStore.js"
import * as PostgresSourcemapStore from "./PostgresSourcemapStore.js"
import * as PostgresTargetStore from "./PostgresTargetStore.js"
import * as PostgresUserStore from "./PostgresUserStore.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const archive = yield* Archiving.make(sql, yield* Bodies.make)
  return Storage.of({
    transaction: <A, E, R>(
      effect: Effect.Effect<A, E, R>,
      projectIds: ReadonlyArray<number> = [],
    ): Effect.Effect<A, E | StorageError, R> =>
      Effect.flatMap(Effect.serviceOption(sql.transactionService), (running) =>
        Option.isSome(running)
          ? effect
          : sql.withTransaction(effect).pipe(
              Buckets.beginAt(sql, projectIds),
              Effect.mapError((error) =>
                error instanceof SqlError ? storageError("Storage.transaction")(error) : error,
              ),
            ),
      ),
    now: sql`SELECT errata.now() AS now`.pipe(
      Effect.map(([row]) => nowRows.read(row!).now),
      named("Storage.now"),
    ),
    ping: sql`SELECT 1`.pipe(Effect.asVoid, named("Storage.ping")),
    prepare: named("Storage.prepare")(preparing(sql)),
    archive: (keptWeeks) => named("Storage.archive")(Effect.asVoid(Buckets.inEach(sql, archive(keptWeeks)))),
  })
})

const ports = Layer.mergeAll(
  Layer.effect(Storage, make),
  PostgresProjectStore.layer,
  PostgresUserStore.layer,
  PostgresCredentialStore.layer,
  PostgresRateLimitStore.layer,
  PostgresOAuthStore.layer,
  PostgresGroupStore.layer,
  PostgresGroupEventStore.layer,
  PostgresActivityStore.layer,
  PostgresReleaseStore.layer,
  PostgresReportStore.layer,
  PostgresRetentionStore.layer,
  PostgresNoteStore.layer,
  PostgresSourcemapReportStore.layer,
  PostgresSourcemapStore.layer,
  PostgresArtifactStore.layer,
  PostgresAppStore.layer,
  PostgresDeliveryStore.layer,
  PostgresTargetStore.layer,
  PostgresMemberMailStore.layer,
  PostgresAlertStore.layer,
  PostgresPolicyStore.layer,
  PostgresIngestStatistics.layer,
  PostgresJobStore.layer,
  PostgresPendingPayloads.layer,
  PostgresHealthStore.layer,
).pipe(Layer.provide(Dictionaries.layer))

/** The stores on a database that is already migrated. */
export const layerStores: Layer.Layer<Services.Stores, never, SqlClient.SqlClient> = storesAt(undefined)

/** Location of the database's files. */
export interface DiskOptions {
  /**
   * A path on the file system that holds the database. By default, the server's data directory is measured if it is on
   * this host and readable. Otherwise free space is unknown.
   */
  readonly diskPath?: string | undefined
}

/** Controls the migration of the schema. */
export interface MigrationOptions {
  /**
   * True to create and migrate the schema. If false, building the layer fails with a `StorageError` of the operation
   * `open` when a migration is due. True by default.
   */
  readonly migrates?: boolean | undefined
}

/** The database, its connections and its migration. */
export interface PostgresStorageOptions
  extends PostgresClient.PostgresOptions,
    DiskOptions,
    MigrationOptions {
  /**
   * True if no other process uses the database, as with an embedded one. Leases of a killed process are then released
   * at start instead of when they expire. Default: false.
   */
  readonly exclusive?: boolean
}

/** The stores on a database that is migrated first. Building it fails if the database is unreachable. */
export const layer = (options: PostgresStorageOptions): Layer.Layer<Services.Stores, StorageError> => {
  const ready = Effect.andThen(
    prepare(options, PostgresClient.layerMigration(options)),
    options.exclusive === true ? endLeases : Effect.void,
  )
  return storesAt(options.diskPath).pipe(
    Layer.provide(Layer.effectDiscard(ready)),
    Layer.provide(PostgresClient.layer(options)),
    Layer.merge(layerHealth(options)),
  )
}

/** The health store on its own connection. Building it neither connects to the database nor changes its schema. */
export const layerHealth = (options: PostgresClient.PostgresOptions): Layer.Layer<HealthStore> =>
  healthOn(PostgresClient.layerProbe(options))

/** All stores on a probe connection, for tools that read the database beside a running server. */
export const layerProbe = (
  options: PostgresClient.PostgresOptions & DiskOptions,
): Layer.Layer<Services.Stores> =>
  Layer.provide(storesAt(options.diskPath), PostgresClient.layerProbe(options))

/**
 * The stores on the application's own pool, in their own schema. The schema is migrated first unless `migrates` is
 * false. Building it fails if the database is unreachable.
 *
 * The pool stays the application's: Errata neither ends it nor changes its type parsers. It must be large enough for
 * both. Errata uses about 70 percent of it for transactions. Health checks open one more connection outside of the
 * pool.
 */
export const layerFromPool = (
  pool: PgPool,
  options: PostgresClient.HostPoolOptions & DiskOptions & MigrationOptions = {},
): Layer.Layer<Services.Stores, StorageError> =>
  storesAt(options.diskPath).pipe(
    Layer.provide(
      Layer.effectDiscard(prepare(options, PostgresClient.layerMigrationFromPool(pool, options))),
    ),
    Layer.provide(PostgresClient.layerFromPool(pool, options)),
    Layer.merge(healthOn(PostgresClient.layerProbeFromPool(pool, options))),
  )

// internal

const nowRows = Rows.make({ now: time })

function storesAt(diskPath: string | undefined): Layer.Layer<Services.Stores, never, SqlClient.SqlClient> {
  const stores = Layer.merge(
    ports,
    Layer.provideMerge(PostgresBlobStore.layer, PostgresDiskSpace.layer(diskPath)),
  )
  return Routed.layer(stores)
}

/** A fresh layer: the memoized one of `layerStores` uses the connections of requests. */
const healthOn = (client: Layer.Layer<SqlClient.SqlClient>): Layer.Layer<HealthStore> =>
  Layer.provide(Routed.layer(Layer.fresh(PostgresHealthStore.layer)), client)

/**
 * Checks with normal timeouts whether a migration is due. Only migrations may run without them, and few starts need
 * one.
 */
const prepare = (
  { migrates }: MigrationOptions,
  migration: Layer.Layer<SqlClient.SqlClient, StorageError>,
) =>
  migrates === false
    ? refuseUnmigrated
    : Effect.andThen(
        Effect.flatMap(PostgresClient.isMigrationDue, (isDue) =>
          isDue ? Effect.asVoid(Effect.provide(PostgresClient.migrate, migration)) : Effect.void,
        ),
        Effect.suspend(() => makePartitions),
      )

const refuseUnmigrated = Effect.filterOrFail(
  PostgresClient.isMigrationDue,
  (isDue) => !isDue,
  () =>
    new StorageError({
      operation: "open",
      reason: "rejected",
      cause: new Error("its schema does not match this version. Run errata migrate"),
    }),
)

/** Not fatal: events are accepted without these partitions, which are created later. */
const makePartitions = Effect.flatMap(SqlClient.SqlClient, (sql) => preparing(sql)).pipe(
  Effect.catch((error) => Effect.logWarning("Creating partitions in advance failed", Cause.fail(error))),
)

const preparing = (sql: SqlClient.SqlClient) => Effect.asVoid(Buckets.inEach(sql, Weeks.makePartitions(sql)))

const endLeases = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Buckets.inEach(
    sql,
    Effect.all(
      [
        // Suspects keep their leases, so that a process that keeps crashing does not retry them at every start.
        sql`UPDATE errata.pending_batches SET claimed_until = NULL WHERE claimed_until IS NOT NULL AND NOT suspect`,
        sql`UPDATE errata.group_events SET leased_until = NULL WHERE leased_until IS NOT NULL`,
        sql`UPDATE errata.consumer_events SET leased_until = NULL WHERE leased_until IS NOT NULL`,
        sql`UPDATE errata.deliveries SET due_at = next_attempt_at
          WHERE status = 'pending' AND leases > 0 AND due_at > next_attempt_at`,
        sql`DELETE FROM errata.hosted_maps WHERE code IS NULL AND map IS NULL`,
        // Lease counts stay: reports that keep crashing the process are given up.
        sql`UPDATE errata.sourcemap_queue SET leased_until = NULL WHERE leased_until IS NOT NULL`,
        sql`UPDATE errata.jobs SET leased_until = NULL WHERE leased_until IS NOT NULL`,
      ],
      { discard: true },
    ),
  ),
).pipe(named("end leases"))
