/**
 * Buckets of projects. A bucket is a schema with all tables of its projects, and each can be on another server. Shared tables stay
 * in the main schema. See docs/decisions/050-distribution.md.
 *
 * Statements are written for `errata.groups` and run in the bucket of their fiber. A database that is not distributed has no
 * buckets, and statements keep their texts.
 */

import { Context, Effect, Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { toDate } from "./PgTime.js"
import * as ProjectTables from "./ProjectTables.js"
import * as Rows from "./Rows.js"
import * as SchemaName from "./SchemaName.js"
import { int8, time } from "./SqlType.js"
import * as Weeks from "./Weeks.js"

/** The bucket in which the statements of a fiber run. */
export type Place = number | "every" | null

/** `every` runs a statement in each bucket, for changes of the schema. `null` allows shared tables only. */
export const Current = Context.Reference<Place>("@errata/storage-postgres/Bucket", {
  defaultValue: () => null,
})

/** The bucket on whose node a transaction begins. Null stands for the coordinator. */
export const Home = Context.Reference<number | null>("@errata/storage-postgres/Home", {
  defaultValue: () => null,
})

/** Facts that a client knows about its database. */
export interface Known {
  /** Number of buckets: 0 without distribution, undefined before the first query. */
  count: number | undefined
}

/** The facts of this client. A client without a database has no buckets. */
export const of = (sql: SqlClient.SqlClient): Known => known.get(sql) ?? { count: 0 }

export const register = (sql: SqlClient.SqlClient, what: Known): void => void known.set(sql, what)

/** Returns the number of buckets. Queries it once. */
export const detect = (sql: SqlClient.SqlClient): Effect.Effect<number, SqlError> =>
  Effect.suspend(() => {
    const what = of(sql)
    if (what.count !== undefined) return Effect.succeed(what.count)
    return Effect.gen(function* () {
      const [found] = yield* sql<{ readonly present: boolean }>`
        SELECT to_regclass('errata.distribution') IS NOT NULL AS present`
      const [row] = found?.present
        ? yield* sql<{ readonly buckets: number }>`SELECT buckets FROM errata.distribution WHERE is_ready`
        : []
      what.count = row?.buckets ?? 0
      return what.count
    })
  })

/** Forgets the number of buckets after it has changed. */
export const forget = (sql: SqlClient.SqlClient): void => {
  of(sql).count = undefined
}

export const bucketOf = (projectId: number, count: number): number => {
  const bucket = projectId % count
  if (Number.isNaN(bucket)) throw new TypeError(`${projectId} is no project`)
  return bucket
}

export const within =
  (bucket: Place) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Current, bucket)

/** Begins a transaction on the node of these projects, if a single bucket has them. */
export const beginAt = (sql: SqlClient.SqlClient, projectIds: ReadonlyArray<number>) => {
  const { count } = of(sql)
  const buckets = new Set(count ? projectIds.map((id) => bucketOf(id, count)) : [])
  return Effect.provideService(Home, buckets.size === 1 ? [...buckets][0]! : null)
}

/** A number as a parameter, or as a literal with buckets, because Citus loses parameters of statements that it splits. */
export const numeral = (sql: SqlClient.SqlClient, value: number): Statement.Fragment =>
  of(sql).count ? sql.literal(String(value)) : sql`${value}`

/**
 * Selects a function that takes an advisory lock of the fiber's bucket until the transaction ends. With buckets, the node of the
 * bucket runs it, so all servers share the lock. The update holds the bucket on that node. The node does not know the lock timeout of
 * the client.
 */
export const lock = (
  sql: SqlClient.SqlClient,
  call: Statement.Fragment,
  from = sql`errata.here`,
): Effect.Effect<ReadonlyArray<object>, SqlError> =>
  // Services make such effects before the number of buckets may be known.
  Effect.suspend(() =>
    of(sql).count
      ? Effect.andThen(
          sql`UPDATE errata.here SET is_here = true WHERE NOT is_here`,
          sql`SELECT set_config('lock_timeout', '5s', true), ${call} AS taken FROM ${from}`,
        )
      : sql`SELECT ${call} AS taken`,
  )

/**
 * With buckets, prevents changes of rows of a shared table by `change` until the transaction ends. Both take the lock in the bucket
 * that uses the rows. It replaces row locks, because Citus locks the whole table for a share lock of a row, and two of them deadlock.
 *
 * Read the rows with `here`: other nodes may not have the change yet.
 */
export const keep = (sql: SqlClient.SqlClient, table: string, ids: ReadonlyArray<number>) =>
  lockInstead(sql, "pg_advisory_xact_lock_shared", table, ids)

export const change = (sql: SqlClient.SqlClient, table: string, id: number) =>
  lockInstead(sql, "pg_advisory_xact_lock", table, [id])

/** A row lock of a shared table. With buckets it is left out, and `keep` replaces it. */
export const unlessKept = (sql: SqlClient.SqlClient, lock: Statement.Fragment): Statement.Fragment =>
  of(sql).count ? sql`` : lock

/**
 * Ends the FROM clause of an insert that reads arrays. With buckets, it is a table of one row: Citus forwards an insert that reads a
 * table of its bucket. It copies the rows of all other inserts, and of those with a volatile function, and commits them in two
 * phases. With a stable function, such as the clock, it forwards a broken statement (Citus 13.2).
 */
export const here = (sql: SqlClient.SqlClient): Statement.Fragment =>
  of(sql).count ? sql` CROSS JOIN errata.here` : sql``

/** Ids of new rows, and the current time. See `here`. */
export interface NewIds {
  readonly ids: ReadonlyArray<number>
  readonly now: Date
}

/** Takes ids from the sequence of a table, one for each new row. */
export const nextIds = (sql: SqlClient.SqlClient, table: string, count: number) =>
  idsOf(sql, sql`nextval(pg_get_serial_sequence(${sql.literal(`'errata.${table}'`)}, 'id'))`, count)

export const idsOf = (
  sql: SqlClient.SqlClient,
  next: Statement.Fragment,
  count: number,
): Effect.Effect<NewIds, SqlError> =>
  Effect.map(
    sql`${sql.literal(onCoordinator)} SELECT ${next} AS id, errata.now() AS now FROM generate_series(1, ${Math.max(count, 1)}::integer)`,
    (rows) => ({
      ids: rows.map((row) => idRows.read(row).id),
      now: toDate(idRows.read(rows[0]!).now),
    }),
  )

/**
 * Starts a statement that takes ids. It runs on the coordinator, which has the sequences, and outside of a transaction on another
 * node. Ids are not given back anyway.
 */
export const onCoordinator = "/* coordinator */"

/** Selects the id at `c.position`. */
export const idAt = (sql: SqlClient.SqlClient, ids: ReadonlyArray<number>): Statement.Fragment =>
  sql`(${ids}::bigint[])[c.position]`

/** Runs an effect in the bucket of a project, not in that of the fiber. */
export const inThatOf = (sql: SqlClient.SqlClient, projectId: number) => {
  const { count } = of(sql)
  return count ? within(bucketOf(projectId, count)) : <A, E, R>(effect: Effect.Effect<A, E, R>) => effect
}

/** Runs an effect in each bucket in turn, or once without buckets. */
export const inEach = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<ReadonlyArray<A>, E | SqlError, R> =>
  Effect.flatMap(detect(sql), (count) =>
    count === 0
      ? Effect.map(effect, (one) => [one])
      : Effect.forEach(
          Array.from({ length: count }, (_, bucket) => bucket),
          (bucket) => within(bucket)(effect),
        ),
  )

/**
 * Runs an effect with the items of each bucket: in the order of the buckets in a transaction, to prevent deadlocks, and at the same
 * time otherwise.
 */
export const inSome = <Item, A, E, R>(
  sql: SqlClient.SqlClient,
  items: ReadonlyMap<number, ReadonlyArray<Item>>,
  write: (items: ReadonlyArray<Item>) => Effect.Effect<A, E, R>,
): Effect.Effect<void, E, R> =>
  Effect.flatMap(Effect.serviceOption(sql.transactionService), (running) =>
    Effect.forEach(
      [...items].sort(([self], [that]) => self - that),
      ([bucket, own]) => within(bucket)(write(own)),
      { concurrency: Option.isSome(running) ? 1 : bucketsAtOnce, discard: true },
    ),
  )

/** Returns a test for projects in the bucket of the fiber. Without buckets, all projects pass. */
export const own = (sql: SqlClient.SqlClient) =>
  Effect.map(Current, (bucket) => {
    const { count = 0 } = of(sql)
    return (projectId: number) => typeof bucket !== "number" || bucketOf(projectId, count) === bucket
  })

export const schemaOf = (schema: string, bucket: number): string => `${schema}_b${bucket}`

/** Checks whether every bucket has a table, partition, sequence or function of this name. */
export const isOfBuckets = (name: string): boolean => names.has(name) || partition.test(name)

/** Checks whether the node of a bucket has what it calls by this name. */
export const isOnNodes = (name: string): boolean => isOfBuckets(name) && !coordinated.has(name)

/** Returns the names after `errata.` in a statement. */
export const namesIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(written), ([, , name]) => name!)

export const mentions = (text: string): boolean => namesIn(text).some(isOfBuckets)

/** Returns the text of a statement for a bucket. Names of shared tables stay. */
export const render = (text: string, schema: string, bucket: number): string =>
  text.replace(written, (all, separator: string, name: string) =>
    isOfBuckets(name) ? `${schemaOf(schema, bucket)}${separator}${name}` : all,
  )

/** Returns the texts to run for a statement: one, or one for each bucket. */
export const texts = (text: string, place: Place, count: number, schema = SchemaName.standard) => {
  if (typeof place === "number") return [render(pinned(text), schema, place)]
  if (!mentions(text)) return [text]
  if (place === null) throw new Error(`A statement on tables of buckets is run in none: ${text}`)
  return Array.from({ length: count }, (_, bucket) => definition(text, schema, bucket, count))
}

/** Returns a change of the schema for a bucket. Ids count in steps, so that no two buckets use the same id. */
export const definition = (text: string, schema: string, bucket: number, count: number): string => {
  const steps = `START WITH ${bucket + 1} MINVALUE ${bucket + 1} INCREMENT BY ${count}`
  const named = render(text, schema, bucket)
    .replaceAll("GENERATED ALWAYS AS IDENTITY", `GENERATED ALWAYS AS IDENTITY (${steps})`)
    .replace(/^(\s*CREATE SEQUENCE \S+)/, `$1 ${steps}`)
  // Names in `format` strings of functions belong to the bucket, too.
  return /^\s*CREATE (OR REPLACE )?FUNCTION/.test(text)
    ? named
        .replaceAll("errata.%I", `${schemaOf(schema, bucket)}.%I`)
        .replaceAll("'errata'::regnamespace", `'${schemaOf(schema, bucket)}'::regnamespace`)
    : named
}

/** With more buckets, a week would have too few ids. */
export const maxCount = 64

// internal

/** Each bucket uses a connection. */
const bucketsAtOnce = 8

const lockInstead = (
  sql: SqlClient.SqlClient,
  name: string,
  table: string,
  ids: ReadonlyArray<number>,
): Effect.Effect<void, SqlError> =>
  of(sql).count
    ? Effect.asVoid(
        lock(
          sql,
          sql`${sql.literal(name)}(hashtextextended(${`errata.${table}.rows`}, id))`,
          sql`unnest(${[...new Set(ids)]}::bigint[]) AS id${here(sql)}`,
        ),
      )
    : Effect.void

/**
 * Makes a query that locks rows of a bucket count as a write, so that the bucket cannot move before the transaction ends. Row locks
 * stay at the node that a bucket leaves. Another transaction could lock the same rows at the new node, and overwrite changes.
 */
const pinned = (text: string): string => {
  if (!rowLock.test(text) || write.test(text) || !mentions(text)) return text
  const [start, mark, keyword] = queryStart.exec(text) ?? []
  if (start === undefined) throw new Error(`A query with row locks has an unknown start: ${text}`)
  const rest = text.slice(start.length)
  return keyword === "WITH" ? `${mark}WITH ${pin},${rest}` : `${mark}WITH ${pin} ${keyword}${rest}`
}

/** Changes nothing. */
const pin = "pinned AS (UPDATE errata.here SET is_here = true WHERE NOT is_here)"

const rowLock = /\bFOR (?:(?:NO KEY )?UPDATE|(?:KEY )?SHARE)\b/

const write = /\b(?:INSERT INTO|UPDATE|DELETE FROM) "?errata\b/

const queryStart = /^(\s*(?:\/\* prepared \*\/)?\s*)(WITH|SELECT)\b/

const idRows = Rows.make({ id: int8(), now: time })

const known = new WeakMap<SqlClient.SqlClient, Known>()

/** Sequences, and functions that change the schema. */
const coordinated: ReadonlySet<string> = new Set([
  "report_ids",
  "attachment_ids",
  "segment_ids",
  "make_partitions",
  "drop_partition",
  "compact_index",
])

const names: ReadonlySet<string> = new Set([
  ...ProjectTables.ofBuckets,
  ...coordinated,
  "here",
  "append_segments",
  // Names of locks.
  "fold",
  "partitions",
])

const partition = new RegExp(`^(${Object.keys(Weeks.weekly).join("|")})_(default|\\d{4}_\\d\\d_\\d\\d)`)

/** Matches `errata.groups` and `"errata"."groups"`. */
const written = /\berrata("?\."?)(\w+)/g
