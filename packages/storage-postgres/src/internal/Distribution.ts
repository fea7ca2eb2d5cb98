/**
 * The code for Citus. See docs/decisions/050-distribution.md.
 *
 * Each bucket is a schema. Citus keeps it on one node and can move it to another one, so a statement of one bucket runs on one node.
 * Tables that statements of buckets join are on every node. All others are on the coordinator.
 */

import { StorageError } from "@errata/core"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as BucketAppend from "./BucketAppend.js"
import * as Buckets from "./Buckets.js"
import * as Migrations from "./Migrations.js"
import { storageError } from "./PgStorageError.js"
import * as ProjectTables from "./ProjectTables.js"
import * as Rows from "./Rows.js"
import * as SchemaName from "./SchemaName.js"
import { boolean, int4, int8, nullable, text, texts } from "./SqlType.js"
import * as TagCounts from "./TagCounts.js"
import * as Weeks from "./Weeks.js"

/** Options of the distribution. */
export interface Options {
  /** Number of buckets. It cannot change later. Default: 32. */
  readonly buckets?: number | undefined
  /** True distributes the buckets over the nodes of a cluster. Default: true. Tests without a cluster pass false. */
  readonly onCitus?: boolean | undefined
}

/** Tables that statements of buckets join, in the order of their foreign keys. */
export const onEveryNode = [
  "users",
  "apps",
  "projects",
  "memberships",
  "alert_rules",
  "group_event_subscriptions",
] as const

/**
 * Migrates the database and moves its projects, with all their rows, into buckets. Run it again after an interruption, or after a node
 * was added. Stop all servers first. Needs two connections.
 */
export const distribute = ({
  buckets = 32,
  onCitus = true,
}: Options = {}): Effect.Effect<void, StorageError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if (onCitus) yield* checkVersion(sql)
    if (!Number.isInteger(buckets) || buckets < 1 || buckets > Buckets.maxCount) {
      return yield* refused(`there can be 1 to ${Buckets.maxCount} buckets`)
    }
    yield* Migrations.migrate
    yield* alone(
      sql,
      Effect.gen(function* () {
        // Another run may have ended while this one waited.
        Buckets.forget(sql)
        if ((yield* Buckets.detect(sql)) !== 0) return
        const count = yield* begin(sql, buckets)
        if (onCitus) yield* Effect.andThen(showShards(sql), shareTables(sql))
        for (let bucket = 0; bucket < count; bucket++) yield* makeBucket(sql, bucket, count, onCitus)
        yield* finish(sql)
        Buckets.forget(sql)
      }),
    )
  }).pipe(
    Effect.mapError((error) => (error instanceof StorageError ? error : storageError("distribute")(error))),
  )

/** Returns the size of all tables on all servers. */
export const bytes = (sql: SqlClient.SqlClient): Effect.Effect<number, SqlError> =>
  Effect.gen(function* () {
    const size = sql`SELECT errata.bytes_here() AS bytes`
    const own = yield* size
    let total = sizeRows.read(own[0]!).bytes
    if ((yield* versionOf(sql)) === null) return total
    for (const { bucket, isCoordinator } of yield* placesNow(sql)) {
      const [row] = isCoordinator ? [] : yield* Buckets.within(bucket)(sql`${size} FROM errata.here`)
      if (row !== undefined) total += sizeRows.read(row).bytes
    }
    return total
  })

/** Returns the size of a partition of the fiber's bucket. Its size on the coordinator is 0. */
export const bytesOf = (sql: SqlClient.SqlClient, partition: string): Effect.Effect<number, SqlError> =>
  Effect.map(
    sql`SELECT errata.bytes_of(${sql.literal(`'errata.${partition}'`)}) AS bytes FROM errata.here`,
    ([row]) => sizeRows.read(row!).bytes,
  )

/**
 * Returns one bucket of each server, in which statements about all its buckets run. Buckets rarely move, so this is queried every
 * ten seconds.
 */
export const places = (
  sql: SqlClient.SqlClient,
): Effect.Effect<ReadonlyArray<ReturnType<typeof Buckets.within>>, SqlError> => {
  let known: ReadonlyArray<number> = []
  let askedAt = 0
  return Effect.gen(function* () {
    const now = Date.now()
    if (known.length === 0 || now - askedAt >= 10_000) {
      known = (yield* placesNow(sql)).map(({ bucket }) => bucket)
      askedAt = now
    }
    return known.map(Buckets.within)
  })
}

/**
 * Checks whether an error is a violation of an index. A node adds the number of the shard to the index name, and the coordinator
 * reports the name only in its message.
 */
export const isOfIndex = (violation: unknown, name: string): boolean => {
  const { constraint, message } = violation as { readonly constraint?: string; readonly message?: string }
  const index = constraint ?? /constraint "(.+)"/.exec(message ?? "")?.[1] ?? ""
  return index === name || (index.startsWith(`${name}_`) && /^[0-9]+$/.test(index.slice(name.length + 1)))
}

// internal

const refused = (message: string) =>
  new StorageError({ operation: "distribute", reason: "rejected", cause: new Error(message) })

const withIds: ReadonlySet<string> = new Set(["users", "apps", "projects", "alert_rules"])

const placesNow = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    if ((yield* versionOf(sql)) === null) return [{ bucket: 0, isCoordinator: true }]
    const rows = yield* sql`
      SELECT min(substring(n.nspname FROM '[0-9]+$')::integer) AS bucket, p.groupid = 0 AS is_coordinator
      FROM pg_dist_shard AS s JOIN pg_dist_placement AS p USING (shardid)
      JOIN pg_class AS c ON c.oid = s.logicalrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE c.relname = 'here' AND n.nspname ~ ('^' || 'errata' || '_b[0-9]+$')
      GROUP BY p.groupid`
    return rows.map(placeRows.read)
  })

/**
 * Checks all buckets of the current server. In a cluster, the tables of a bucket are on one server, with a number at the end of
 * their names. All servers have empty tables with the plain names.
 */
const findBusy = `
  CREATE OR REPLACE FUNCTION errata.buckets_with(queue text, due text) RETURNS integer[]
  LANGUAGE plpgsql STABLE AS $$
  DECLARE
    suffix CONSTANT text := CASE WHEN to_regclass('pg_dist_shard') IS NULL THEN '' ELSE '_[0-9]+' END;
    found integer[] := '{}';
    is_due boolean;
    part record;
  BEGIN
    FOR part IN
      SELECT c.oid::regclass AS name, substring(n.nspname FROM '[0-9]+$')::integer AS bucket
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname ~ ('^' || 'errata' || '_b[0-9]+$') AND c.relkind = 'r' AND c.relname ~ ('^' || queue || suffix || '$')
    LOOP
      EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE %s)', part.name, due) INTO is_due;
      IF is_due THEN found := found || part.bucket; END IF;
    END LOOP;
    RETURN found;
  END $$`

const measure = `
  CREATE OR REPLACE FUNCTION errata.bytes_here() RETURNS bigint
  LANGUAGE sql VOLATILE
  RETURN (
    SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
    WHERE relnamespace::regnamespace::text ~ ('^' || 'errata' || '(_b[0-9]+)?$') AND relkind = 'r')`

/** The table of this name, or its shard on a node. */
const measureOne = `
  CREATE OR REPLACE FUNCTION errata.bytes_of(name text) RETURNS bigint
  LANGUAGE sql VOLATILE
  RETURN (
    SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
    WHERE relnamespace::regnamespace::text = split_part(name, '.', 1)
      AND relname ~ ('^' || split_part(name, '.', 2) || '(_[0-9]{5,})?$') AND relkind = 'r')`

const versionOf = (sql: SqlClient.SqlClient) =>
  Effect.map(sql`SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'`, ([row]) =>
    row === undefined ? null : Number.parseFloat(versionRows.read(row).version),
  )

const checkVersion = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const version = yield* versionOf(sql)
  if (version === null) return yield* refused("the database has no extension citus")
  if (version < 13) return yield* refused(`Citus 13 or later is needed, and this is ${version}`)
})

/** Returns the number of buckets of the first run. */
const begin = (sql: SqlClient.SqlClient, buckets: number) =>
  Effect.gen(function* () {
    yield* sql`
      CREATE TABLE IF NOT EXISTS errata.distribution (
        is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
        buckets integer NOT NULL,
        -- The buckets that are complete.
        done integer[] NOT NULL DEFAULT '{}',
        is_ready boolean NOT NULL DEFAULT false
      )`
    const added = yield* sql`
      INSERT INTO errata.distribution (buckets) VALUES (${buckets}) ON CONFLICT DO NOTHING RETURNING buckets`
    yield* sql.unsafe(findBusy)
    yield* sql.unsafe(measure)
    yield* sql.unsafe(measureOne)
    // These rows mix counts of projects from several buckets.
    yield* TagCounts.make(sql).foldAll
    const [row] = yield* sql`SELECT buckets FROM errata.distribution`
    const count = countRows.read(row!).buckets
    yield* checkNames(sql, count, added.length > 0)
    return count
  }).pipe(sql.withTransaction)

/** Later runs find the buckets of the first one. */
const checkNames = (sql: SqlClient.SqlClient, count: number, isFirstRun: boolean) =>
  Effect.gen(function* () {
    const schema = yield* Migrations.schemaName
    // PostgreSQL cuts longer names, so buckets would replace each other.
    const room = SchemaName.maxLength - Buckets.schemaOf("", count - 1).length
    if (schema.length > room) {
      return yield* refused(
        `with ${count} buckets, the name of the schema may have at most ${room} characters`,
      )
    }
    const names = Array.from({ length: count }, (_, bucket) => Buckets.schemaOf(schema, bucket))
    const [taken] = yield* sql`
      SELECT nspname::text AS name FROM pg_namespace WHERE nspname = ANY (${names}::text[])`
    if (isFirstRun && taken !== undefined) {
      return yield* refused(`there is a schema ${nameRows.read(taken).name}, and a bucket needs this name`)
    }
  })

/** Citus hides the shards of a coordinator that has some. Elsewhere, only a superuser may set its parameters. */
const showShards = (sql: SqlClient.SqlClient) =>
  Effect.forEach(
    ["buckets_with(text, text)", "bytes_here()", "bytes_of(text)"],
    (signature) => sql.unsafe(`ALTER FUNCTION errata.${signature} SET citus.override_table_visibility = off`),
    { discard: true },
  )

const shareTables = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    for (const table of ["targets", "sourcemap_origins"]) {
      yield* sql.unsafe(
        `ALTER TABLE IF EXISTS errata.${table} DROP CONSTRAINT IF EXISTS ${table}_project_id_fkey`,
      )
    }
    for (const table of onEveryNode) {
      const name = sql.literal(`'errata.${table}'`)
      const [known] = yield* sql`
        SELECT 1 FROM pg_dist_partition WHERE logicalrelid = ${name}::regclass AND partmethod = 'n' AND repmodel = 't'`
      if (known !== undefined) continue
      yield* sql`SELECT create_reference_table(${name})`
      // The sequence loses its position.
      if (!withIds.has(table)) continue
      const [last] = yield* sql.unsafe(`SELECT coalesce(max(id), 0) AS id FROM errata.${table}`)
      const { id } = idRows.read(last!)
      if (id > 0) yield* sql`SELECT setval(pg_get_serial_sequence(${name}, 'id'), ${id})`
    }
    const functions = yield* sql`
      SELECT oid::regprocedure::text AS name FROM pg_proc
      WHERE pronamespace = 'errata'::regnamespace AND prokind = 'f'
        AND proname <> ALL (ARRAY['make_partitions', 'drop_partition', 'compact_index'])`
    for (const { name } of functions.map(nameRows.read))
      yield* sql`SELECT create_distributed_function(${name}::regprocedure)`
  })

/** Waits until no other run is at work. The lock ends with its connection. */
const alone = <E, R>(sql: SqlClient.SqlClient, run: Effect.Effect<void, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* sql.reserve
      const lock = (name: string) =>
        connection.executeUnprepared(
          `SELECT ${name}(hashtextextended('errata.distribution', 0))`,
          [],
          undefined,
        )
      yield* Effect.acquireRelease(lock("pg_advisory_lock"), () => Effect.ignore(lock("pg_advisory_unlock")))
      yield* run
    }),
  )

const makeBucket = (sql: SqlClient.SqlClient, bucket: number, count: number, onCitus: boolean) =>
  Effect.gen(function* () {
    const [done] = yield* sql`SELECT ${bucket}::integer = ANY (done) AS done FROM errata.distribution`
    if (doneRows.read(done!).done) return
    const own = Buckets.schemaOf(yield* Migrations.schemaName, bucket)
    // Committed first: Citus distributes it on another connection of the owner of the extension, which must see it.
    yield* sql.withTransaction(fillBucket(sql, own, bucket, count))
    yield* sql.withTransaction(
      Effect.gen(function* () {
        // As a whole, because Citus allows fewer changes of tables that are distributed.
        if (onCitus) {
          yield* sql.unsafe(`SELECT citus_schema_distribute('${own}')`)
          yield* sql.unsafe(BucketAppend.distribution(own))
        }
        yield* sql`UPDATE errata.distribution SET done = done || ${bucket}::integer`
      }),
    )
  })

const fillBucket = (sql: SqlClient.SqlClient, own: string, bucket: number, count: number) =>
  Effect.gen(function* () {
    // A run that was interrupted may have left it.
    yield* sql.unsafe(`DROP SCHEMA IF EXISTS ${own} CASCADE`)
    yield* sql.unsafe(`CREATE SCHEMA ${own}`)
    const schema = yield* Migrations.schemaName
    for (const statement of yield* Migrations.statements) {
      const target = /\berrata\.(\w+)/.exec(statement)?.[1]
      if (target !== undefined && Buckets.isOfBuckets(target)) {
        yield* sql.unsafe(Buckets.definition(statement, schema, bucket, count))
      }
    }
    // See Buckets.here.
    yield* sql.unsafe(`CREATE TABLE ${own}.here (is_here boolean PRIMARY KEY)`)
    yield* sql.unsafe(`INSERT INTO ${own}.here VALUES (true)`)
    yield* sql.unsafe(Buckets.definition(BucketAppend.definition, schema, bucket, count))
    for (const table of ProjectTables.ofBuckets) yield* copy(sql, table, own, bucket, count)
    for (const table of Object.keys(Weeks.weekly)) {
      yield* sql.unsafe(`SELECT ${own}.make_partitions('${table}', ${Weeks.ahead})`)
    }
  })

/** Copies the rows of projects with their ids, and sets the sequence after them. */
const copy = (sql: SqlClient.SqlClient, table: string, schema: string, bucket: number, count: number) =>
  Effect.gen(function* () {
    const from = sql.literal(`'errata.${table}'`)
    const [row] = yield* sql`
      SELECT coalesce(array_agg(attname::text ORDER BY attnum), '{}') AS columns, 
        (SELECT a.attname::text FROM pg_attribute AS a WHERE a.attrelid = ${from}::regclass AND a.attidentity <> '') AS identity
      FROM pg_attribute
      WHERE attrelid = ${from}::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`
    const { columns, identity } = columnRows.read(row!)
    if (!columns.includes("project_id")) return
    const own = `FROM errata.${table} WHERE project_id % ${count} = ${bucket}`
    const [some] = yield* sql.unsafe(`SELECT EXISTS (SELECT ${own}) AS done`)
    if (!doneRows.read(some!).done) return
    const names = columns.map((column) => `"${column}"`).join(", ")
    yield* sql.unsafe(
      `INSERT INTO ${schema}.${table} (${names}) OVERRIDING SYSTEM VALUE SELECT ${names} ${own}`,
    )
    const goOn = (sequence: string, last: string) => {
      return sql.unsafe(
        `SELECT setval(${sequence}, ${bucket + 1} + (coalesce(max(${last}), 0) / ${count} + 1) * ${count})
         FROM errata.${table}`,
      )
    }
    if (identity !== null)
      yield* goOn(`pg_get_serial_sequence('${schema}.${table}', '${identity}')`, identity)
    const sequence = { reports: "report_ids", segments: "segment_ids", attachments: "attachment_ids" }[table]
    if (sequence !== undefined)
      yield* goOn(`'${schema}.${sequence}'`, table === "attachments" ? "id" : "id % 10000000000")
  })

/** After this, a server of an older version finds no tables. */
const finish = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    for (const table of ProjectTables.ofBuckets)
      yield* sql.unsafe(`DROP TABLE IF EXISTS errata.${table} CASCADE`)
    for (const name of ["report_ids", "attachment_ids", "segment_ids"]) {
      yield* sql.unsafe(`DROP SEQUENCE IF EXISTS errata.${name}`)
    }
    for (const name of ["make_partitions", "drop_partition", "compact_index"]) {
      yield* sql.unsafe(`DROP FUNCTION IF EXISTS errata.${name}`)
    }
    yield* sql`UPDATE errata.distribution SET is_ready = true`
  }).pipe(sql.withTransaction)

const sizeRows = Rows.make({ bytes: int8() })
const idRows = Rows.make({ id: int8() })
const versionRows = Rows.make({ version: text() })
const placeRows = Rows.make({ bucket: int4(), isCoordinator: boolean })
const countRows = Rows.make({ buckets: int4() })
const nameRows = Rows.make({ name: text() })
const doneRows = Rows.make({ done: boolean })
const columnRows = Rows.make({ columns: texts(), identity: nullable(text()) })
