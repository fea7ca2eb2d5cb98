/**
 * Projects in buckets: each bucket is a schema with all tables of its projects, which can be on another server than the next
 * one. The tables that all projects share stay where they are. See docs/decisions/050-distribution.md.
 *
 * Statements are written for `errata.groups` and run in the bucket of their fiber. Where nothing is distributed there is no
 * bucket, and the text of a statement is what it was.
 */

import { Context, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as PgLiteral from "./PgLiteral.js"
import { toDate } from "./PgTime.js"
import * as ProjectTables from "./ProjectTables.js"
import * as Rows from "./Rows.js"
import * as SchemaName from "./SchemaName.js"
import { int8, time } from "./SqlType.js"
import * as Weeks from "./Weeks.js"

/** In which bucket the statements of a fiber run. */
export type Place = number | "every" | null

/**
 * `every` runs a statement on tables of buckets in each of them, which is for changes of the schema. With null there are only the tables that
 * all projects share.
 */
export const Current = Context.Reference<Place>("@errata/storage-postgres/Bucket", {
  defaultValue: () => null,
})

/** The knowledge of a client about its database. */
export interface Known {
  /** How many buckets there are; 0 where nothing is distributed, undefined before that was asked for. */
  count: number | undefined
}

/** The knowledge of this client. A client without a database has no buckets. */
export const of = (sql: SqlClient.SqlClient): Known => known.get(sql) ?? { count: 0 }

export const register = (sql: SqlClient.SqlClient, what: Known): void => void known.set(sql, what)

/** Asks once how many buckets there are. */
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

/** Forgets how many there are, because that has changed. */
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

/** A number as a parameter, or as a literal with buckets, because Citus loses parameters of statements that it splits. */
export const numeral = (sql: SqlClient.SqlClient, value: number): Statement.Fragment =>
  of(sql).count ? sql.literal(String(value)) : sql`${value}`

/**
 * With buckets, prevents changes of rows of a shared table until the transaction ends: `change` waits for this lock on the
 * coordinator. It replaces row locks, because Citus locks the whole table for a share lock of a row, and two of them deadlock.
 */
export const keep = (sql: SqlClient.SqlClient, table: string, ids: ReadonlyArray<number>) =>
  lockInstead(sql, "pg_advisory_xact_lock_shared", table, ids)

export const change = (sql: SqlClient.SqlClient, table: string, id: number) =>
  lockInstead(sql, "pg_advisory_xact_lock", table, [id])

/** A row lock of a shared table. With buckets it is left out, and `keep` replaces it. */
export const unlessKept = (sql: SqlClient.SqlClient, lock: Statement.Fragment): Statement.Fragment =>
  of(sql).count ? sql`` : lock

/**
 * The end of FROM in an insert that reads arrays: where there are buckets, a table of one row. Citus sends an insert that reads
 * its bucket on as it is. It copies the rows of any other one, and commits them in two phases. It also copies where a function is
 * volatile. If one is stable, as the clock is, it sends on a broken statement (Citus 13.2).
 */
export const here = (sql: SqlClient.SqlClient): Statement.Fragment =>
  of(sql).count ? sql` CROSS JOIN errata.here` : sql``

/** Ids of new rows, and the time. See `here`. */
export interface NewIds {
  readonly ids: ReadonlyArray<number>
  readonly now: Date
}

/** As many ids as there are new rows. */
export const nextIds = (sql: SqlClient.SqlClient, table: string, count: number) =>
  idsOf(sql, sql`nextval(pg_get_serial_sequence(${sql.literal(`'errata.${table}'`)}, 'id'))`, count)

export const idsOf = (
  sql: SqlClient.SqlClient,
  next: Statement.Fragment,
  count: number,
): Effect.Effect<NewIds, SqlError> =>
  Effect.map(
    sql`SELECT ${next} AS id, errata.now() AS now FROM generate_series(1, ${Math.max(count, 1)}::integer)`,
    (rows) => ({
      ids: rows.map((row) => idRows.read(row).id),
      now: toDate(idRows.read(rows[0]!).now),
    }),
  )

/** Of such ids that of the row `c`, which has a position. */
export const idAt = (sql: SqlClient.SqlClient, ids: ReadonlyArray<number>): Statement.Fragment =>
  sql`(${PgLiteral.numbers(ids)}::bigint[])[c.position]`

/** In the bucket of a project, whichever bucket the fiber is in. */
export const inThatOf = (sql: SqlClient.SqlClient, projectId: number) => {
  const { count } = of(sql)
  return count ? within(bucketOf(projectId, count)) : <A, E, R>(effect: Effect.Effect<A, E, R>) => effect
}

/** Runs a statement in one bucket after the other; once where there are none. */
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

/** Of the ids of projects those that are in the bucket of the fiber; all where there are none. */
export const own = (sql: SqlClient.SqlClient) =>
  Effect.map(Current, (bucket) => {
    const { count = 0 } = of(sql)
    return (projectId: number) => typeof bucket !== "number" || bucketOf(projectId, count) === bucket
  })

export const schemaOf = (schema: string, bucket: number): string => `${schema}_b${bucket}`

/** Checks whether every bucket has a table, partition, sequence or function of this name. */
export const isOfBuckets = (name: string): boolean => names.has(name) || partition.test(name)

export const mentions = (text: string): boolean => {
  for (const [, , name] of text.matchAll(written)) if (isOfBuckets(name!)) return true
  return false
}

/** A statement as it is for a bucket of the schema. Names of shared tables stay. */
export const render = (text: string, schema: string, bucket: number): string =>
  text.replace(written, (all, separator: string, name: string) =>
    isOfBuckets(name) ? `${schemaOf(schema, bucket)}${separator}${name}` : all,
  )

/** The texts that a statement is run as: one, or one for each bucket. */
export const texts = (text: string, place: Place, count: number, schema = SchemaName.standard) => {
  if (typeof place === "number") return [render(text, schema, place)]
  if (!mentions(text)) return [text]
  if (place === null) throw new Error(`A statement on tables of buckets is run in none: ${text}`)
  return Array.from({ length: count }, (_, bucket) => definition(text, schema, bucket, count))
}

/** A change of the schema as it is for a bucket. Ids are given in steps, so that no two buckets give the same one. */
export const definition = (text: string, schema: string, bucket: number, count: number): string => {
  const steps = `START WITH ${bucket + 1} MINVALUE ${bucket + 1} INCREMENT BY ${count}`
  const named = render(text, schema, bucket)
    .replaceAll("GENERATED ALWAYS AS IDENTITY", `GENERATED ALWAYS AS IDENTITY (${steps})`)
    .replace(/^(\s*CREATE SEQUENCE \S+)/, `$1 ${steps}`)
  // Names that a function formats belong to the bucket, too.
  return /^\s*CREATE (OR REPLACE )?FUNCTION/.test(text)
    ? named
        .replaceAll("errata.%I", `${schemaOf(schema, bucket)}.%I`)
        .replaceAll("'errata'::regnamespace", `'${schemaOf(schema, bucket)}'::regnamespace`)
    : named
}

/** More buckets would have too few ids for each week. */
export const maxCount = 64

// internal

const lockInstead = (
  sql: SqlClient.SqlClient,
  lock: string,
  table: string,
  ids: ReadonlyArray<number>,
): Effect.Effect<void, SqlError> =>
  of(sql).count
    ? sql`
        SELECT ${sql.literal(lock)}(hashtextextended(${`errata.${table}.rows`}, id))
        FROM unnest(${PgLiteral.distinct(ids)}::bigint[]) AS id`.pipe(Effect.asVoid)
    : Effect.void

const idRows = Rows.make({ id: int8(), now: time })

const known = new WeakMap<SqlClient.SqlClient, Known>()

const names: ReadonlySet<string> = new Set([
  ...ProjectTables.ofBuckets,
  "here",
  "report_ids",
  "attachment_ids",
  "segment_ids",
  "make_partitions",
  "drop_partition",
  // The names of locks.
  "fold",
  "partitions",
])

const partition = new RegExp(`^(${Object.keys(Weeks.weekly).join("|")})_(default|\\d{4}_\\d\\d_\\d\\d)`)

/** As in `errata.groups` and `"errata"."groups"`. */
const written = /\berrata("?\."?)(\w+)/g
