/** Errata's data in a PostgreSQL database. */
import { type PgPool, PostgresStorage } from "@errata/storage-postgres"
import { Effect, Layer, Redacted } from "effect"
import type { ErrataStorage } from "./ErrataStorage.js"
import { explained } from "./StorageFailure.js"

/** Connections of Errata's own. */
export interface PostgresUrlOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string
  /** 10 unless told. */
  readonly maxConnections?: number | undefined
  /** True if the URL is that of a pooler such as PgBouncer. False by default. */
  readonly pooler?: boolean | undefined
  /** True to keep prepared statements on connections through a pooler. False by default. */
  readonly prepared?: boolean | undefined
  /** A folder on the file system of the database, by which ingest protection measures what is free. */
  readonly diskPath?: string | undefined
}

/** The application's own pool. */
export interface PostgresPoolOptions {
  /** A `Pool` of `pg` 8. It stays the application's: Errata neither sets it up nor ends it. */
  readonly pool: PgPool
  /** Whether its connections may keep prepared statements, which is quicker; false for poolers that do not know them. */
  readonly prepared?: boolean | undefined
  readonly diskPath?: string | undefined
}

/** A PostgreSQL database. Errata's tables are in a schema of their own, `errata`, which is made and kept up to date. */
export const postgres = (options: PostgresUrlOptions | PostgresPoolOptions): ErrataStorage => ({
  name: "PostgreSQL",
  layer: Layer.effectContext(
    Effect.mapError(
      Layer.build(
        "pool" in options
          ? PostgresStorage.layerFromPool(options.pool, {
              prepared: options.prepared,
              diskPath: options.diskPath,
            })
          : options.pooler === true
            ? PostgresStorage.layerFromPooler({ ...options, url: Redacted.make(options.url) })
            : PostgresStorage.layer({
                url: Redacted.make(options.url),
                maxConnections: options.maxConnections,
                diskPath: options.diskPath,
              }),
      ),
      explained,
    ),
  ),
})
