/** Connects to PostgreSQL and migrates the schema. */

import { StorageError } from "@errata/core"
import { Instruments, MetricFamily } from "@errata/core/internal"
import { Duration, Effect, Layer, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import pg from "pg"
import * as BoundedSocket from "./internal/BoundedSocket.js"
import * as Buckets from "./internal/Buckets.js"
import * as ClusterNodes from "./internal/ClusterNodes.js"
import * as HostPool from "./internal/HostPool.js"
import * as PgSqlClient from "./internal/PgSqlClient.js"
import { storageError } from "./internal/PgStorageError.js"
import * as Pool from "./internal/Pool.js"
import * as Pooler from "./internal/Pooler.js"
import * as SchemaName from "./internal/SchemaName.js"
import * as Transactions from "./internal/Transactions.js"
import type { PgPool } from "./PgPool.js"

/** The schema of the tables. */
export interface SchemaOptions {
  /**
   * `errata` by default. Instances with different schemas can share a database; they share no data. At most 63
   * lower-case letters, digits and underscores, and not an SQL keyword.
   */
  readonly schema?: string | undefined
}

export { distribute, type Options as DistributionOptions } from "./internal/Distribution.js"
export { hasPendingMigrations, isMigrationDue, migrate, pendingSql } from "./internal/Migrations.js"

/** The database and the limits of its connections. */
export interface PostgresOptions extends SchemaOptions {
  /**
   * `postgres://user:password@host:port/database`. With several hosts, the client uses the one that accepts writes:
   * `postgres://user@a,b:5433/database?target_session_attrs=read-write`.
   */
  readonly url: Redacted.Redacted
  /**
   * URLs of the workers of a Citus cluster. Statements on the data of a project then go to the worker that has it, and `url`
   * is that of the coordinator. Not through a pooler.
   */
  readonly workerUrls?: ReadonlyArray<Redacted.Redacted> | undefined
  /** Of each pool: there is one for `url` and one for each worker. Default: 10. */
  readonly maxConnections?: number | undefined
  /**
   * True to keep prepared statements on connections through a pooler: PgBouncer 1.21 or later with
   * `max_prepared_statements`, or a pooler in session mode. Default: false. Always on without a pooler.
   */
  readonly prepared?: boolean | undefined
  /**
   * Time without a response after which a connection counts as dead. Default: 15 seconds. The server cancels statements
   * shortly before. Of migrations, only commits are limited.
   */
  readonly answerTimeout?: Duration.Input | undefined
  /** Time that a statement waits for a lock before it fails. Default: 5 seconds. */
  readonly lockTimeout?: Duration.Input | undefined
}

/** Limits of Errata's statements on any pool. */
export type Limits = Pick<PostgresOptions, "answerTimeout" | "lockTimeout" | "schema">

/** Limits of Errata on the application's pool. */
export interface HostPoolOptions extends Limits {
  /**
   * True to keep the statements of the hot path prepared, which saves parsing and planning. Default: false, because a
   * pooler between application and database may not support it.
   */
  readonly prepared?: boolean | undefined
}

/**
 * A connection pool. Building it fails if the database is unreachable. Poolers such as PgBouncer reject or drop startup
 * parameters. Through a pooler (transaction mode included), Errata therefore sets its limits at the beginning of each
 * transaction.
 */
export const layer = (options: PostgresOptions): Layer.Layer<SqlClient.SqlClient, StorageError> =>
  Layer.suspend(() => {
    const { answerMillis, lockMillis, statementMillis } = millisOf(options)
    const max = options.maxConnections ?? 10
    const config = (url: Redacted.Redacted): pg.PoolConfig => ({
      ...common({ url }),
      max,
      stream: BoundedSocket.make(answerMillis),
      // Closing the socket alone would not stop the statement: the server notices only when it sends its response.
      statement_timeout: statementMillis,
      lock_timeout: lockMillis,
      // The server does not notice a lost client host, whose open transaction would hold its locks for hours.
      idle_in_transaction_session_timeout: answerMillis,
    })
    return client(
      Effect.tap(Pool.make(config(options.url)), (opened) => Pooler.findByLimits(opened, lockMillis)),
      { concurrent: concurrent(max) },
      { prepared: true, schema: options.schema },
      (options.workerUrls ?? []).map(config),
    ).pipe(
      Layer.catch((error) =>
        Pooler.isFound(error.cause) ? throughPooler(options, max) : Layer.effectContext(Effect.fail(error)),
      ),
    )
  })

/** Two connections for migrations, without timeouts except for commits. TCP keepalive detects dead connections. */
export const layerMigration = (options: PostgresOptions): Layer.Layer<SqlClient.SqlClient, StorageError> =>
  client(
    Pool.make({ ...common(options), max: 2, keepAlive: true, keepAliveInitialDelayMillis: 10_000 }),
    { concurrent: concurrent(2), begin: beginMigration(), answerTimeout: answerTimeoutOf(options) },
    { prepared: false, schema: options.schema },
  )

/**
 * Uses the application's own pool, without changing its type parsers or ending it. Errata's limits apply to its own
 * statements only. Building it fails if the database is unreachable.
 */
export const layerFromPool = (
  pool: PgPool,
  options: HostPoolOptions = {},
): Layer.Layer<SqlClient.SqlClient, StorageError> =>
  Layer.suspend(() => {
    const { answerMillis, lockMillis, statementMillis } = millisOf(options)
    return hostPool(
      pool,
      { answerMillis, releasedMillis: answerMillis },
      {
        concurrent: concurrent(asPool(pool).options.max),
        begin: beginWith({
          statement_timeout: statementMillis,
          lock_timeout: lockMillis,
          idle_in_transaction_session_timeout: answerMillis,
        }),
      },
      { prepared: options.prepared === true, schema: options.schema },
    )
  })

/** Uses the application's own pool for migrations. Their transactions have no time limit. */
export const layerMigrationFromPool = (
  pool: PgPool,
  limits: Limits = {},
): Layer.Layer<SqlClient.SqlClient, StorageError> =>
  hostPool(
    pool,
    { answerMillis: null, releasedMillis: millisOf(limits).answerMillis },
    {
      concurrent: 1,
      begin: beginMigration(),
      answerTimeout: answerTimeoutOf(limits),
    },
    { prepared: false, schema: limits.schema },
  )

/**
 * A separate connection for health checks, outside of the pool that requests share. It opens on demand, and is dropped
 * after 2.5 seconds without a response.
 */
export const layerProbe = (options: PostgresOptions): Layer.Layer<SqlClient.SqlClient> =>
  probe(
    { connectionString: Redacted.value(options.url), stream: BoundedSocket.make(probeMillis.silence) },
    { statement_timeout: probeMillis.statement, lock_timeout: probeMillis.statement },
    options,
  )

/** The same beside the application's own pool, with that pool's connection options. Needs one more connection. */
export const layerProbeFromPool = (
  pool: PgPool,
  options: SchemaOptions = {},
): Layer.Layer<SqlClient.SqlClient> => {
  const { options: own } = asPool(pool)
  // The password of a pool is a non-enumerable property.
  return probe({ ...own, password: own.password, min: 0 }, {}, options)
}

// internal

const probeMillis = { connect: 1_500, statement: 1_500, silence: 2_500, idle: 30_000 }

const probe = (
  config: pg.PoolConfig,
  limits: Pick<pg.PoolConfig, "lock_timeout" | "statement_timeout">,
  { schema }: SchemaOptions,
): Layer.Layer<SqlClient.SqlClient> => {
  const opened = (more: pg.PoolConfig) =>
    Pool.open({
      ...config,
      ...more,
      max: 1,
      types,
      application_name: "errata-health",
      connectionTimeoutMillis: probeMillis.connect,
      query_timeout: probeMillis.silence,
      idleTimeoutMillis: probeMillis.idle,
    })
  return Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const pool = Pooler.withoutLimits(yield* opened(limits), yield* opened({}))
      return yield* PgSqlClient.make(pool, { schema })
    }),
  )
}

const common = ({ url }: Pick<PostgresOptions, "url">): pg.PoolConfig => ({
  connectionString: Redacted.value(url),
  types,
  application_name: "errata",
})

const throughPooler = (
  options: PostgresOptions,
  max: number,
): Layer.Layer<SqlClient.SqlClient, StorageError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      if ((options.workerUrls ?? []).length > 0) {
        return yield* new StorageError({
          operation: "open",
          reason: "rejected",
          cause: new Error("with the URLs of workers, no pooler can be between Errata and the coordinator"),
        })
      }
      yield* Effect.logInfo("The database is behind a pooler. Errata sets its limits in each transaction")
      const pool = yield* Pool.open({ ...common(options), max })
      if (options.prepared === true) yield* Pooler.checkPrepared(pool)
      return layerFromPool(pool, options)
    }),
  )

const asPool = (pool: PgPool): pg.Pool => pool as pg.Pool

const hostPool = (
  pool: PgPool,
  settings: Omit<HostPool.Settings, "connectMillis">,
  transactions: Transactions.Settings,
  options: PgSqlClient.Options,
): Layer.Layer<SqlClient.SqlClient, StorageError> =>
  client(
    Effect.tap(
      HostPool.make(asPool(pool), { ...settings, connectMillis: Duration.toMillis(Pool.connectTimeout) }),
      Pool.reach,
    ),
    transactions,
    options,
  )

const client = (
  acquire: Effect.Effect<pg.Pool, SqlError, Scope.Scope>,
  transactions: Transactions.Settings,
  options: PgSqlClient.Options,
  workers: ReadonlyArray<pg.PoolConfig> = [],
): Layer.Layer<SqlClient.SqlClient, StorageError> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      yield* checkName(options.schema)
      const pool = yield* Effect.mapError(acquire, storageError("connect"))
      const workerPools = yield* Effect.forEach(workers, (config) =>
        Pool.open({ ...config, connectionTimeoutMillis: Duration.toMillis(Pool.connectTimeout) }),
      )
      yield* countConnections([pool, ...workerPools])
      const nodes =
        workerPools.length === 0
          ? ClusterNodes.none
          : yield* ClusterNodes.make(pool, workerPools, options.schema)
      const client = yield* PgSqlClient.make(pool, { ...options, nodes })
      const { poolOf } = nodes
      yield* Effect.mapError(Buckets.detect(client), storageError("open"))
      return Object.assign(client, {
        withTransaction: Transactions.make(client, { ...transactions, poolOf }),
      })
    }),
  )

const checkName = (schema: string = SchemaName.standard): Effect.Effect<void, StorageError> => {
  const problem = SchemaName.problemOf(schema)
  return problem === null
    ? Effect.void
    : new StorageError({
        operation: "open",
        reason: "rejected",
        cause: new Error(`the schema ${JSON.stringify(schema)} ${problem}`),
      })
}

/** Only for the pool that requests share. Migration connections are too short-lived for metrics. */
const countConnections = (pools: ReadonlyArray<pg.Pool>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const sum = (count: (pool: pg.Pool) => number) => pools.reduce((total, pool) => total + count(pool), 0)
      const collect = () => {
        Instruments.connections("busy")(sum((pool) => pool.totalCount - pool.idleCount))
        Instruments.connections("idle")(sum((pool) => pool.idleCount))
        Instruments.connections("waiting")(sum((pool) => pool.waitingCount))
      }
      MetricFamily.collectors.add(collect)
      return collect
    }),
    (collect) => Effect.sync(() => MetricFamily.collectors.delete(collect)),
  )

const answerTimeoutOf = ({ answerTimeout = "15 seconds" }: Limits): Duration.Duration =>
  Duration.fromInputUnsafe(answerTimeout)

const millisOf = (limits: Limits) => {
  const answerMillis = Duration.toMillis(answerTimeoutOf(limits))
  const statementMillis = Math.floor(answerMillis * 0.9)
  const lockMillis = Math.min(Duration.toMillis(limits.lockTimeout ?? "5 seconds"), statementMillis)
  return { answerMillis, lockMillis, statementMillis }
}

/** Migrations have no timeouts, even if the role or the database sets some. */
const beginMigration = () =>
  beginWith({ statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 })

/** Begins a transaction with settings local to it, in one round trip. */
const beginWith = (settings: Record<string, number>): string =>
  ["BEGIN", ...Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = ${value}`)].join("; ")

/** Maximum of concurrent transactions. The other connections are for single statements. */
const concurrent = (connections: number): number =>
  Math.max(1, connections - Math.max(1, Math.floor(connections * 0.3)))

const int8 = 20
const int8Array = 1016
const parseInt8Array = (text: string): ReadonlyArray<number> =>
  text === "{}" ? [] : text.slice(1, -1).split(",").map(Number)

/** Ids and counts stay far below 2^53, so int8 is read as a number. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format) => {
    if (format !== "binary") {
      if (oid === int8) return Number
      if (oid === int8Array) return parseInt8Array
    }
    return pg.types.getTypeParser(oid, format)
  },
}
