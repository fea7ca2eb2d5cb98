/** Connections to PostgreSQL, and the schema brought up to date. */

import { StorageError } from "@errata/core"
import { Instruments, MetricFamily } from "@errata/core/internal"
import { Duration, Effect, Layer, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import pg from "pg"
import * as BoundedSocket from "./internal/BoundedSocket.js"
import * as Buckets from "./internal/Buckets.js"
import * as HostPool from "./internal/HostPool.js"
import * as PgSqlClient from "./internal/PgSqlClient.js"
import { storageError } from "./internal/PgStorageError.js"
import * as Pool from "./internal/Pool.js"
import * as Pooler from "./internal/Pooler.js"
import * as SchemaName from "./internal/SchemaName.js"
import * as Transactions from "./internal/Transactions.js"
import type { PgPool } from "./PgPool.js"

/** Where the tables are. */
export interface SchemaOptions {
  /**
   * The schema of the tables: `errata` by default. Instances with different schemas share a database and nothing else. At most
   * 63 lower-case letters, digits and underscores; no key word of SQL.
   */
  readonly schema?: string | undefined
}

export { distribute, type Options as DistributionOptions } from "./internal/Distribution.js"
export { hasPendingMigrations, isMigrationDue, migrate, pendingSql } from "./internal/Migrations.js"

/** The database, and the connections to it. */
export interface PostgresOptions extends SchemaOptions {
  /**
   * `postgres://user:password@host:port/database`. It may have several hosts, of which the one is used that accepts writes:
   * `postgres://user@a,b:5433/database?target_session_attrs=read-write`.
   */
  readonly url: Redacted.Redacted
  /** 10 unless given. */
  readonly maxConnections?: number | undefined
  /**
   * True to keep prepared statements on connections through a pooler: PgBouncer 1.21 or later with `max_prepared_statements`,
   * or one that pools sessions. False by default. Without a pooler they are always kept.
   */
  readonly prepared?: boolean | undefined
  /**
   * How long a statement may take before its connection is given up as dead; 15 seconds unless given. The server ends
   * statements itself shortly before that. Migrations take as long as they take, but for their commits.
   */
  readonly answerTimeout?: Duration.Input | undefined
  /** How long a statement waits for a lock of another transaction before it fails; 5 seconds unless given. */
  readonly lockTimeout?: Duration.Input | undefined
}

/** Limits of Errata's statements, on whichever pool. */
export type Limits = Pick<PostgresOptions, "answerTimeout" | "lockTimeout" | "schema">

/** How Errata uses a pool of the application that it is part of. */
export interface HostPoolOptions extends Limits {
  /**
   * Whether a connection keeps the statements of the hot path prepared, which saves the database parsing and planning
   * them each time. False by default: a pooler between application and database may not know of them.
   */
  readonly prepared?: boolean | undefined
}

/**
 * A pool of connections. Building it fails where the database cannot be reached. Behind a pooler such as PgBouncer, also one
 * that pools transactions, Errata's limits begin with each transaction, because a pooler refuses or drops them when it is
 * connected to.
 */
export const layer = (options: PostgresOptions): Layer.Layer<SqlClient.SqlClient, StorageError> =>
  Layer.suspend(() => {
    const { answerMillis, lockMillis, statementMillis } = millisOf(options)
    const max = options.maxConnections ?? 10
    const pool = Pool.make({
      ...common(options),
      max,
      stream: BoundedSocket.make(answerMillis),
      // The connection alone would end for us only: the server goes on until it has something to say.
      statement_timeout: statementMillis,
      lock_timeout: lockMillis,
      // The server is not told of a host that is gone: what its transaction had locked would stay locked for hours.
      idle_in_transaction_session_timeout: answerMillis,
    })
    return client(
      Effect.tap(pool, (opened) => Pooler.findByLimits(opened, lockMillis)),
      { concurrent: concurrent(max) },
      { prepared: true, schema: options.schema },
    ).pipe(
      Layer.catch((error) =>
        Pooler.isFound(error.cause) ? throughPooler(options, max) : Layer.effectContext(Effect.fail(error)),
      ),
    )
  })

/**
 * Connections for migrating: few, and with all the time they need. But for a commit no silence is too long for them, so
 * that only the operating system can tell one that is dead, by asking.
 */
export const layerMigration = (options: PostgresOptions): Layer.Layer<SqlClient.SqlClient, StorageError> =>
  client(
    Pool.make({ ...common(options), max: 2, keepAlive: true, keepAliveInitialDelayMillis: 10_000 }),
    { concurrent: concurrent(2), begin: beginMigration(), answerTimeout: answerTimeoutOf(options) },
    { prepared: false, schema: options.schema },
  )

/**
 * The application's own pool. It is neither set up nor ended here: whatever its type parsers are, they stay, and
 * Errata's limits hold for its own statements. Building it fails where the database cannot be reached.
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

/** The same for migrating: what its transactions do has all the time that it needs. */
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
 * A connection that tells whether the database is well: apart from the pool that requests share, opened when somebody
 * asks, and given up after a few seconds of silence.
 */
export const layerProbe = (options: PostgresOptions): Layer.Layer<SqlClient.SqlClient> =>
  probe(
    { connectionString: Redacted.value(options.url), stream: BoundedSocket.make(probeMillis.silence) },
    { statement_timeout: probeMillis.statement, lock_timeout: probeMillis.statement },
    options,
  )

/** The same beside the application's own pool, reaching the database as that does: it needs one connection more. */
export const layerProbeFromPool = (
  pool: PgPool,
  options: SchemaOptions = {},
): Layer.Layer<SqlClient.SqlClient> => {
  const { options: own } = asPool(pool)
  // A pool hides its password from those who list its options.
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

const common = ({ url }: PostgresOptions): pg.PoolConfig => ({
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
): Layer.Layer<SqlClient.SqlClient, StorageError> =>
  Layer.effect(
    SqlClient.SqlClient,
    checkName(options.schema).pipe(
      Effect.andThen(acquire),
      Effect.tap(countConnections),
      Effect.flatMap((pool) => PgSqlClient.make(pool, options)),
      Effect.map((client) =>
        Object.assign(client, { withTransaction: Transactions.make(client, transactions) }),
      ),
      Effect.tap((client) => Effect.mapError(Buckets.detect(client), storageError("open"))),
      Effect.mapError((error) => (error._tag === "SqlError" ? storageError("connect")(error) : error)),
    ),
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

/** Only of the pool that requests share: those for migrations are gone before anybody asks. */
const countConnections = (pool: pg.Pool) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const collect = () => {
        Instruments.connections("busy")(pool.totalCount - pool.idleCount)
        Instruments.connections("idle")(pool.idleCount)
        Instruments.connections("waiting")(pool.waitingCount)
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

/** Migrations have all the time that they need, also where the role or the database has limits. */
const beginMigration = () =>
  beginWith({ statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 })

/** Settings that end with the transaction, in one round trip with its beginning. */
const beginWith = (settings: Record<string, number>): string =>
  ["BEGIN", ...Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = ${value}`)].join("; ")

/** Transactions at one time; the other connections are for statements of their own. */
const concurrent = (connections: number): number =>
  Math.max(1, connections - Math.max(1, Math.floor(connections * 0.3)))

const int8 = 20
const int8Array = 1016
const parseInt8Array = (text: string): ReadonlyArray<number> =>
  text === "{}" ? [] : text.slice(1, -1).split(",").map(Number)

/** Ids and counts are far below 2^53: they are read as numbers. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format) => {
    if (format !== "binary") {
      if (oid === int8) return Number
      if (oid === int8Array) return parseInt8Array
    }
    return pg.types.getTypeParser(oid, format)
  },
}
