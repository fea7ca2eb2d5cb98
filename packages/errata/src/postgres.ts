/** Errata's data in a PostgreSQL database. */
import { type PgPool, PostgresStorage } from "@errata/storage-postgres"
import { Effect, Layer, Redacted } from "effect"
import type { ErrataStorage } from "./ErrataStorage.js"
import { checkNames } from "./KnownNames.js"
import { explained } from "./StorageFailure.js"

/** The tables. */
export interface PostgresSchemaOptions {
  /**
   * The schema of the tables: `errata` by default. Instances with different schemas share a database and nothing else. At most
   * 63 lower-case letters, digits and underscores; no key word of SQL.
   */
  readonly schema?: string | undefined
  /** False to refuse to start where `errata migrate` has not created and migrated the schema. True by default. */
  readonly migrate?: boolean | undefined
}

/** Connections of Errata's own. */
export interface PostgresUrlOptions extends PostgresSchemaOptions {
  /** `postgres://user:password@host:port/database`, also with several hosts of one database: `postgres://user@a,b/database`. */
  readonly url: string
  /** 10 unless told. */
  readonly maxConnections?: number | undefined
  /** True to keep prepared statements on connections through a pooler. False by default. Without a pooler they are always kept. */
  readonly prepared?: boolean | undefined
  /** A folder on the file system of the database, by which ingest protection measures what is free. */
  readonly diskPath?: string | undefined
}

/** The application's own pool. */
export interface PostgresPoolOptions extends PostgresSchemaOptions {
  /** A `Pool` of `pg` 8. It stays the application's: Errata neither sets it up nor ends it. */
  readonly pool: PgPool
  /** Whether its connections may keep prepared statements, which is quicker; false for poolers that do not know them. */
  readonly prepared?: boolean | undefined
  readonly diskPath?: string | undefined
}

/** A PostgreSQL database. Errata's tables are in a schema of their own, which is created and migrated. */
export const postgres = (options: PostgresUrlOptions | PostgresPoolOptions): ErrataStorage => {
  checkNames(options, names, "postgres")
  if (!("pool" in options) && typeof options.url !== "string") {
    throw new TypeError("postgres requires the option url or pool")
  }
  return {
    name: "PostgreSQL",
    layer: Layer.effectContext(Effect.mapError(Layer.build(layerOf(options)), explained)),
  }
}

// internal

const names: ReadonlyArray<keyof PostgresUrlOptions | keyof PostgresPoolOptions> = [
  "url",
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
  const { maxConnections, url } = options
  return PostgresStorage.layer({ url: Redacted.make(url), maxConnections, ...common })
}

const commonOf = ({ diskPath, migrate, schema }: PostgresUrlOptions | PostgresPoolOptions) => ({
  diskPath,
  schema,
  migrates: migrate,
})
