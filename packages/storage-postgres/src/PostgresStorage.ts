/** Every port of the core on one PostgreSQL database. */

import { type Services, StorageError } from "@errata/core"
import { type HealthStore, Storage, StorageUpkeep } from "@errata/core/ports"
import { Cause, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { SqlError } from "effect/sql/SqlError"
import * as Archiving from "./internal/Archiving.js"
import * as Buckets from "./internal/Buckets.js"
import { named, storageError } from "./internal/PgStorageError.js"
import * as Routed from "./internal/Routed.js"
import * as Rows from "./internal/Rows.js"
import { time } from "./internal/SqlType.js"
import * as Weeks from "./internal/Weeks.js"
import type { PgPool } from "./PgPool.js"
import * as PostgresActivityStore from "./PostgresActivityStore.js"
import * as PostgresAlertRuleStore from "./PostgresAlertRuleStore.js"
import * as PostgresAlertStateStore from "./PostgresAlertStateStore.js"
import * as PostgresAppStore from "./PostgresAppStore.js"
import * as PostgresArtifactChunks from "./PostgresArtifactChunks.js"
import * as PostgresArtifactFiles from "./PostgresArtifactFiles.js"
import * as PostgresArtifactStore from "./PostgresArtifactStore.js"
import * as PostgresBlobStore from "./PostgresBlobStore.js"
import * as PostgresClient from "./PostgresClient.js"
import * as PostgresCredentialStore from "./PostgresCredentialStore.js"
import * as PostgresDeliveryStore from "./PostgresDeliveryStore.js"
import * as PostgresDiskSpace from "./PostgresDiskSpace.js"
import * as PostgresGroupEventStore from "./PostgresGroupEventStore.js"
import * as PostgresGroupStore from "./PostgresGroupStore.js"
import * as PostgresHealthStore from "./PostgresHealthStore.js"
import * as PostgresHostedMapCache from "./PostgresHostedMapCache.js"
import * as PostgresIngestStatistics from "./PostgresIngestStatistics.js"
import * as PostgresJobStore from "./PostgresJobStore.js"
import * as PostgresMemberMailStore from "./PostgresMemberMailStore.js"
import * as PostgresNoteStore from "./PostgresNoteStore.js"
import * as PostgresOAuthStore from "./PostgresOAuthStore.js"
import * as PostgresPendingPayloads from "./PostgresPendingPayloads.js"
import * as PostgresPolicyStore from "./PostgresPolicyStore.js"
import * as PostgresProjectStore from "./PostgresProjectStore.js"
import * as PostgresRateWindow from "./PostgresRateWindow.js"
import * as PostgresReleaseStore from "./PostgresReleaseStore.js"
import * as PostgresReportStore from "./PostgresReportStore.js"
import * as PostgresRetentionStore from "./PostgresRetentionStore.js"
import * as PostgresSessionStore from "./PostgresSessionStore.js"
import * as PostgresSourcemapOriginStore from "./PostgresSourcemapOriginStore.js"
import * as PostgresSourcemapReportStore from "./PostgresSourcemapReportStore.js"
import * as PostgresTargetStore from "./PostgresTargetStore.js"
import * as PostgresThrottleStore from "./PostgresThrottleStore.js"
import * as PostgresUserStore from "./PostgresUserStore.js"
import * as PostgresWebhookStore from "./PostgresWebhookStore.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return Storage.of({
    transaction: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
      Effect.flatMap(Effect.serviceOption(sql.transactionService), (running) =>
        Option.isSome(running)
          ? effect
          : Effect.mapError(sql.withTransaction(effect), (error) =>
              error instanceof SqlError ? storageError("Storage.transaction")(error) : error,
            ),
      ),
    now: sql`SELECT errata.now() AS now`.pipe(
      Effect.map(([row]) => nowRows.read(row!).now),
      named("Storage.now"),
    ),
    ping: sql`SELECT 1`.pipe(Effect.asVoid, named("Storage.ping")),
  })
})

const makeUpkeep = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const archive = yield* Archiving.make(sql)
  return StorageUpkeep.of({
    prepare: named("StorageUpkeep.prepare")(preparing(sql)),
    archive: (keptWeeks) =>
      named("StorageUpkeep.archive")(Effect.asVoid(Buckets.inEach(sql, archive(keptWeeks)))),
  })
})

const ports = Layer.mergeAll(
  Layer.effect(Storage, make),
  Layer.effect(StorageUpkeep, makeUpkeep),
  PostgresProjectStore.layer,
  PostgresUserStore.layer,
  PostgresCredentialStore.layer,
  PostgresSessionStore.layer,
  PostgresThrottleStore.layer,
  PostgresOAuthStore.layer,
  PostgresGroupStore.layer,
  PostgresGroupEventStore.layer,
  PostgresActivityStore.layer,
  PostgresReleaseStore.layer,
  PostgresReportStore.layer,
  PostgresRetentionStore.layer,
  PostgresNoteStore.layer,
  PostgresSourcemapOriginStore.layer,
  PostgresSourcemapReportStore.layer,
  PostgresHostedMapCache.layer,
  PostgresArtifactStore.layer,
  PostgresArtifactFiles.layer,
  PostgresArtifactChunks.layer,
  PostgresAppStore.layer,
  PostgresWebhookStore.layer,
  PostgresDeliveryStore.layer,
  PostgresTargetStore.layer,
  PostgresMemberMailStore.layer,
  PostgresAlertRuleStore.layer,
  PostgresAlertStateStore.layer,
  PostgresPolicyStore.layer,
  PostgresIngestStatistics.layer,
  PostgresRateWindow.layer,
  PostgresJobStore.layer,
  PostgresPendingPayloads.layer,
  PostgresHealthStore.layer,
)

/** The stores on a database that is migrated already. */
export const layerStores: Layer.Layer<Services.Stores, never, SqlClient.SqlClient> = storesAt(undefined)

/** Where the database's files are. */
export interface DiskOptions {
  /**
   * A path on the file system that holds the database. Without it the server's own folder is measured, if it is on this
   * host and may be read; else there is nothing to measure.
   */
  readonly diskPath?: string | undefined
}

/** Options of migration. */
export interface MigrationOptions {
  /**
   * True to create and migrate the schema. If false, building the layer fails with a `StorageError` of the operation
   * `open` when a migration is due. True by default.
   */
  readonly migrates?: boolean | undefined
}

/** Which database, and how to connect to it. */
export interface PostgresStorageOptions
  extends PostgresClient.PostgresOptions,
    DiskOptions,
    MigrationOptions {
  /**
   * Whether no other process works on the database, as on an embedded one. Then what a killed process had leased is
   * given back at once, and not only when its leases run out. False by default.
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

/**
 * What the database tells of its state, on a connection of its own. Building it neither reaches the database nor changes
 * its schema.
 */
export const layerHealth = (options: PostgresClient.PostgresOptions): Layer.Layer<HealthStore> =>
  healthOn(PostgresClient.layerProbe(options))

/** All stores on such a connection, for who looks at them beside a server. */
export const layerProbe = (
  options: PostgresClient.PostgresOptions & DiskOptions,
): Layer.Layer<Services.Stores> =>
  Layer.provide(storesAt(options.diskPath), PostgresClient.layerProbe(options))

/**
 * The stores on the application's own pool, in a schema of their own, which is migrated first unless `migrates` is false.
 * Building it fails where the database is away.
 *
 * The pool stays the application's: it is not ended when the scope closes, its type parsers are as they were, and it has
 * to be as large as both need together. Errata keeps its transactions to seven tenths of it. One connection more, beside
 * the pool, is opened when somebody asks whether the instance is well.
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

/** A layer of its own: the one of `layerStores` is on the connections of requests. */
const healthOn = (client: Layer.Layer<SqlClient.SqlClient>): Layer.Layer<HealthStore> =>
  Layer.provide(Routed.layer(Layer.fresh(PostgresHealthStore.layer)), client)

/**
 * Whether there is something to migrate is asked within the limits of every other statement: only a migration may wait
 * for as long as it takes, and nearly every start has none.
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

/** What comes in is accepted without them as well, and they are made later: no reason not to start. */
const makePartitions = Effect.flatMap(SqlClient.SqlClient, (sql) => preparing(sql)).pipe(
  Effect.catch((error) => Effect.logWarning("Creating partitions in advance failed", Cause.fail(error))),
)

/** Makes partitions of coming weeks. */
const preparing = (sql: SqlClient.SqlClient) => Effect.asVoid(Buckets.inEach(sql, Weeks.makePartitions(sql)))

const endLeases = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Buckets.inEach(
    sql,
    Effect.all(
      [
        // Suspects wait as before: in a process that dies again and again they are not to be tried at every start.
        sql`UPDATE errata.pending_batches SET claimed_until = NULL WHERE claimed_until IS NOT NULL AND NOT suspect`,
        sql`UPDATE errata.group_events SET leased_until = NULL WHERE leased_until IS NOT NULL`,
        sql`UPDATE errata.consumer_events SET leased_until = NULL WHERE leased_until IS NOT NULL`,
        sql`UPDATE errata.deliveries SET due_at = next_attempt_at
          WHERE status = 'pending' AND leases > 0 AND due_at > next_attempt_at`,
        sql`DELETE FROM errata.hosted_maps WHERE code IS NULL AND map IS NULL`,
        // Their leases count: what ends a process again and again is given up.
        sql`UPDATE errata.sourcemap_queue SET leased_until = NULL WHERE leased_until IS NOT NULL`,
        sql`UPDATE errata.jobs SET leased_until = NULL WHERE leased_until IS NOT NULL`,
      ],
      { discard: true },
    ),
  ),
).pipe(named("end leases"))
