/** Pools of host applications. */
import { Effect, Redacted } from "effect"
import pg from "pg"
import { freshDatabase } from "./database.js"

/** Type parsers that differ from Errata's for counts, times and JSON. */
export const hostileTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format) =>
    format === "text" && oid in hostileParsers ? hostileParsers[oid] : pg.types.getTypeParser(oid, format),
}

/** A pool that ends with the scope, unless the test ended it. */
export const onDatabase = (url: Redacted.Redacted, config: pg.PoolConfig = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => new pg.Pool({ connectionString: Redacted.value(url), ...config })),
    (pool) => Effect.promise(async () => (pool.ended ? undefined : pool.end())),
  )

/** A pool on a fresh database. */
export const make = (config: pg.PoolConfig = {}) =>
  Effect.flatMap(freshDatabase, (url) => onDatabase(url, config))

// internal

const raw = (text: string) => text

const hostileParsers: Record<number, (text: string) => unknown> = {
  [pg.types.builtins.INT8]: BigInt,
  [pg.types.builtins.NUMERIC]: raw,
  [pg.types.builtins.TIMESTAMPTZ]: raw,
  [pg.types.builtins.JSON]: raw,
  // int8[]
  1016: raw,
}
