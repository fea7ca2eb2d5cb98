/** Every port of the core on one PostgreSQL database. */

import { SqlClient } from "@effect/sql"
import { TransactionConnection } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { type Services, Storage, type StorageError, StorageUpkeep } from "@errata/core"
import { Effect, Layer, Option } from "effect"
import type pg from "pg"
import { named, storageError } from "./internal/PgStorageError.js"
import * as Weeks from "./internal/Weeks.js"
import * as PostgresAppStore from "./PostgresAppStore.js"
import * as PostgresClient from "./PostgresClient.js"
import * as PostgresCredentialStore from "./PostgresCredentialStore.js"
import * as PostgresDeliveryStore from "./PostgresDeliveryStore.js"
import * as PostgresGroupEventStore from "./PostgresGroupEventStore.js"
import * as PostgresGroupStore from "./PostgresGroupStore.js"
import * as PostgresIngestStatistics from "./PostgresIngestStatistics.js"
import * as PostgresJobStore from "./PostgresJobStore.js"
import * as PostgresNoteStore from "./PostgresNoteStore.js"
import * as PostgresOAuthStore from "./PostgresOAuthStore.js"
import * as PostgresPendingPayloads from "./PostgresPendingPayloads.js"
import * as PostgresPolicyStore from "./PostgresPolicyStore.js"
import * as PostgresProjectStore from "./PostgresProjectStore.js"
import * as PostgresReportStore from "./PostgresReportStore.js"
import * as PostgresSessionStore from "./PostgresSessionStore.js"
import * as PostgresSourcemapOriginStore from "./PostgresSourcemapOriginStore.js"
import * as PostgresThrottleStore from "./PostgresThrottleStore.js"
import * as PostgresUserStore from "./PostgresUserStore.js"
import * as PostgresWebhookStore from "./PostgresWebhookStore.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return Storage.of({
    transaction: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
      Effect.flatMap(Effect.serviceOption(TransactionConnection), (running) =>
        Option.isSome(running)
          ? effect
          : Effect.mapError(sql.withTransaction(effect), (error) =>
              error instanceof SqlError ? storageError("Storage.transaction")(error) : error,
            ),
      ),
    ping: sql`SELECT 1`.pipe(Effect.asVoid, named("Storage.ping")),
  })
})

const makeUpkeep = Effect.map(SqlClient.SqlClient, (sql) =>
  StorageUpkeep.of({ prepare: named("StorageUpkeep.prepare")(Weeks.makePartitions(sql)) }),
)

/** The stores on a database that is migrated already. */
export const layerStores: Layer.Layer<Services.Stores, never, SqlClient.SqlClient> = Layer.mergeAll(
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
  PostgresReportStore.layer,
  PostgresNoteStore.layer,
  PostgresSourcemapOriginStore.layer,
  PostgresAppStore.layer,
  PostgresWebhookStore.layer,
  PostgresDeliveryStore.layer,
  PostgresPolicyStore.layer,
  PostgresIngestStatistics.layer,
  PostgresJobStore.layer,
  PostgresPendingPayloads.layer,
)

export interface PostgresStorageOptions extends PostgresClient.PostgresOptions {
  /**
   * Whether no other process works on the database, as on an embedded one. Then what a killed process had leased is
   * given back at once, and not only when its leases run out. False by default.
   */
  readonly exclusive?: boolean
}

/** The stores on a database that is brought up to date first. Building it fails where the database is away. */
export const layer = (options: PostgresStorageOptions): Layer.Layer<Services.Stores, StorageError> => {
  const prepare = Effect.zipRight(
    migrated,
    Effect.when(endLeases, () => options.exclusive === true),
  )
  return layerStores.pipe(
    Layer.provide(PostgresClient.layer(options)),
    Layer.provide(Layer.effectDiscard(Effect.provide(prepare, PostgresClient.layerMigration(options)))),
  )
}

/**
 * The stores on the application's own pool, in the schema `errata` of its database, which is brought up to date first.
 * Building it fails where the database is away.
 *
 * The pool stays the application's: it is not ended when the scope closes, its type parsers are as they were, and it has
 * to be as large as both need together. Errata keeps its transactions to seven tenths of it.
 */
export const layerFromPool = (
  pool: pg.Pool,
  options: PostgresClient.HostPoolOptions = {},
): Layer.Layer<Services.Stores, StorageError> =>
  layerStores.pipe(
    Layer.provide(PostgresClient.layerFromPool(pool, options)),
    Layer.provide(Layer.effectDiscard(Effect.provide(migrated, PostgresClient.layerMigrationFromPool(pool)))),
  )

// internal

const migrated = Effect.suspend(() => Effect.zipRight(PostgresClient.migrate, makePartitions))

/** What comes in is accepted without them as well, and they are made later: no reason not to start. */
const makePartitions = Effect.flatMap(SqlClient.SqlClient, (sql) => Weeks.makePartitions(sql)).pipe(
  Effect.catchAll((error) => Effect.logWarning("Making partitions ahead failed", error)),
)

const endLeases = Effect.flatMap(
  SqlClient.SqlClient,
  // Suspects wait as before: in a process that dies again and again they are not to be tried at every start.
  (sql) =>
    Effect.zipRight(
      sql`UPDATE errata.pending_batches SET claimed_until = NULL WHERE claimed_until IS NOT NULL AND NOT suspect`,
      Effect.zipRight(
        sql`UPDATE errata.group_events SET leased_until = NULL WHERE leased_until IS NOT NULL`,
        sql`UPDATE errata.jobs SET leased_until = NULL WHERE leased_until IS NOT NULL`,
      ),
    ),
).pipe(named("end leases"))
