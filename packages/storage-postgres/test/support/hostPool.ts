/** Pools as applications have them, for Errata to be put on. */
import { Effect, Redacted } from "effect"
import pg from "pg"
import { freshDatabase } from "./database.js"

/** What the application makes of counts and times: nothing that Errata would choose. */
export const hostileTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format) =>
    format === "text" && oid in hostileParsers ? hostileParsers[oid] : pg.types.getTypeParser(oid, format),
}

/** On a database; ended with the scope, unless the test has done so. */
export const onDatabase = (url: Redacted.Redacted, config: pg.PoolConfig = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => new pg.Pool({ connectionString: Redacted.value(url), ...config })),
    (pool) => Effect.promise(async () => (pool.ended ? undefined : pool.end())),
  )

/** On a database of its own. */
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
