/** Stores data in a PostgreSQL database. */
import { type PgPool, PostgresStorage } from "@errata/storage-postgres"
import { Effect, Layer, Redacted } from "effect"
import type { ErrataStorage } from "./ErrataStorage.js"
import { checkNames } from "./KnownNames.js"
import { explained } from "./StorageFailure.js"

/** Options of the tables. */
export interface PostgresSchemaOptions {
  /**
   * The schema of the tables. Default: `errata`. Instances with different schemas can share a database. At most 63
   * lower-case letters, digits and underscores; not a keyword of SQL.
   */
  readonly schema?: string | undefined
  /** False to fail the start if `errata migrate` has not migrated the schema. Default: true. */
  readonly migrate?: boolean | undefined
}

/** Options for Errata's own connections. */
export interface PostgresUrlOptions extends PostgresSchemaOptions {
  /** `postgres://user:password@host:port/database`, or several hosts of a database: `postgres://user@a,b/database`. */
  readonly url: string
  /**
   * The same database on the workers of a Citus cluster. Statements on the data of a project go to the worker that has it. Default:
   * all go to `url`, which is the coordinator.
   */
  readonly workerUrls?: ReadonlyArray<string> | undefined
  /** Of each URL. Default: 10. */
  readonly maxConnections?: number | undefined
  /** True to keep prepared statements through a pooler. Default: false. Without a pooler they are always kept. */
  readonly prepared?: boolean | undefined
  /** A folder on the file system of the database. Ingest protection measures its free space. */
  readonly diskPath?: string | undefined
}

/** Options for the application's own pool. */
export interface PostgresPoolOptions extends PostgresSchemaOptions {
  /** A `Pool` of `pg` 8. Errata neither configures nor closes it. */
  readonly pool: PgPool
  /** True if connections may keep prepared statements, which is faster. False for poolers without support for them. */
  readonly prepared?: boolean | undefined
  readonly diskPath?: string | undefined
}

/** A PostgreSQL database. Errata creates and migrates its own schema. */
export const postgres = (options: PostgresUrlOptions | PostgresPoolOptions): ErrataStorage => {
  checkNames(options, names, "postgres")
  const {
    pool,
    url,
    workerUrls = [],
  }: { readonly pool?: unknown; readonly url?: unknown; readonly workerUrls?: unknown } = options
  if ("pool" in options ? !isPool(pool) : !isUrl(url)) {
    throw new TypeError(
      "postgres requires the option url, such as postgres://user:password@host:5432/database, or a Pool of pg as the option pool",
    )
  }
  if (!Array.isArray(workerUrls) || !workerUrls.every(isUrl)) {
    throw new TypeError("The option workerUrls of postgres must be a list of URLs such as url")
  }
  return {
    name: "PostgreSQL",
    layer: Layer.effectContext(Effect.mapError(Layer.build(layerOf(options)), explained)),
  }
}

// internal

/** The library `pg` reads other texts as the name of a database on this host. */
const isUrl = (url: unknown): boolean => typeof url === "string" && /^postgres(ql)?:/.test(url)

/** A client also has `connect`. */
const isPool = (pool: unknown): boolean =>
  typeof pool === "object" && pool !== null && "connect" in pool && "totalCount" in pool

const names: ReadonlyArray<keyof PostgresUrlOptions | keyof PostgresPoolOptions> = [
  "url",
  "workerUrls",
  "maxConnections",
  "pool",
  "prepared",
  "schema",
  "migrate",
  "diskPath",
]

const layerOf = (options: PostgresUrlOptions | PostgresPoolOptions) => {
  const common = { ...commonOf(options), prepared: options.prepared }
  if ("pool" in options) return PostgresStorage.layerFromPool(options.pool, common)
  const { maxConnections, url, workerUrls = [] } = options
  return PostgresStorage.layer({
    url: Redacted.make(url),
    workerUrls: workerUrls.map((workerUrl) => Redacted.make(workerUrl)),
    maxConnections,
    ...common,
  })
}

const commonOf = ({ diskPath, migrate, schema }: PostgresUrlOptions | PostgresPoolOptions) => ({
  diskPath,
  schema,
  migrates: migrate,
})
