/**
 * The workers of a Citus cluster that a client connects to. The statements of a bucket go to the worker that has it, so the
 * coordinator does not plan them. See docs/decisions/050-distribution.md.
 *
 * All Citus nodes accept all statements on buckets. A bucket that has just moved, or a worker without a connection, costs speed only.
 */

import { Effect } from "effect"
import type pg from "pg"
import * as Buckets from "./Buckets.js"
import * as DatabaseHosts from "./DatabaseHosts.js"
import * as SchemaName from "./SchemaName.js"

export interface ClusterNodes {
  /** Returns the pool of the worker that has a bucket, or null if only the coordinator reaches it. */
  readonly poolOf: (bucket: number) => pg.Pool | null
  /** Returns a check whether a statement, as written for the schema `errata`, can run on a worker. */
  readonly canRun: () => (statement: string) => boolean
  /** Uses the coordinator instead of a worker that was not reached, until the next look. */
  readonly forget: (pool: pg.Pool) => void
}

/** The coordinator alone. */
export const none: ClusterNodes = { poolOf: () => null, canRun: () => () => false, forget: () => {} }

/** Finds the buckets of the workers. Buckets rarely move, so it looks again when they are used after ten seconds. */
export const make = (
  coordinator: pg.Pool,
  workers: ReadonlyArray<pg.Pool>,
  schema: string = SchemaName.standard,
): Effect.Effect<ClusterNodes> =>
  Effect.gen(function* () {
    let layout = noLayout
    let foundAt = 0
    let lookedAt = 0
    const look = Effect.suspend(() => {
      lookedAt = Date.now()
      return layoutOf(coordinator, workers, schema).pipe(
        Effect.map((found) => {
          layout = found
          foundAt = Date.now()
        }),
        // Without Citus there are no such tables.
        Effect.ignore,
      )
    })
    yield* look
    const used = new Set(layout.pools.values())
    for (const worker of workers) if (!used.has(worker)) yield* Effect.logWarning(unused(worker))
    const runFork = Effect.runForkWith(yield* Effect.context<never>())
    return {
      poolOf: (bucket) => {
        // In the background: the statement does not wait for a worker that does not respond.
        const now = Date.now()
        if (now - lookedAt >= lookMillis) runFork(look)
        return now - foundAt < keepMillis ? (layout.pools.get(bucket) ?? null) : null
      },
      canRun: () => {
        const { everywhere, numbered } = layout
        return (statement) => canRun(everywhere, numbered, statement)
      },
      forget: (pool) => {
        layout = { ...layout, pools: new Map([...layout.pools].filter(([, other]) => other !== pool)) }
      },
    }
  })

// internal

const lookMillis = 10_000

/** A node that left the cluster may still run, and does not know where its buckets are now. */
const keepMillis = 30_000

const unused = ({ options: { connectionString = "" } }: pg.Pool) => {
  const hosts = DatabaseHosts.parse(connectionString)?.hosts.map((host) => host.name)
  const name = hosts?.join(",") ?? new URL(connectionString).host
  return `The worker ${name} is not used. It cannot be reached, is behind a pooler, or has no projects of this database.`
}

interface Layout {
  /** By bucket. */
  readonly pools: ReadonlyMap<number, pg.Pool>
  /** Tables and functions of the main schema that all nodes have. */
  readonly everywhere: ReadonlySet<string>
  /** Tables of buckets with ids from a sequence. */
  readonly numbered: ReadonlySet<string>
}

const noLayout: Layout = { pools: new Map(), everywhere: new Set(), numbered: new Set() }

const layoutOf = (coordinator: pg.Pool, workers: ReadonlyArray<pg.Pool>, schema: string) =>
  Effect.gen(function* () {
    const places = yield* rowsOf<{ bucket: number; groupid: number }>(coordinator, placesOf, [schema])
    const poolOfGroup = yield* poolsOf(coordinator, workers, (group) =>
      Buckets.schemaOf(schema, places.find(({ groupid }) => groupid === group)!.bucket),
    )(new Set(places.map(({ groupid }) => groupid)))
    const pools = places.flatMap(({ bucket, groupid }) => {
      const pool = poolOfGroup.get(groupid)
      return pool === undefined ? [] : ([[bucket, pool]] as const)
    })
    const named = yield* rowsOf<{ name: string; numbered: boolean }>(coordinator, namesOf, [
      schema,
      Buckets.schemaOf(schema, 0),
    ])
    const names = (numbered: boolean) =>
      new Set(named.filter((row) => row.numbered === numbered).map(({ name }) => name))
    return { pools: new Map(pools), everywhere: names(false), numbered: names(true) }
  })

/**
 * Finds the pool of each node. A statement through the coordinator and one of the pool reach the same server if it has the same start
 * time. So the URL of another cluster is never used.
 */
const poolsOf =
  (coordinator: pg.Pool, workers: ReadonlyArray<pg.Pool>, schemaOn: (group: number) => string) =>
  (groups: ReadonlySet<number>) =>
    Effect.gen(function* () {
      const started = yield* Effect.forEach(workers, (pool) => identityOf(pool), { concurrency: "unbounded" })
      const found = new Map<number, pg.Pool>()
      const ofGroup = (group: number) =>
        Effect.map(
          identityOf(coordinator, `FROM ${schemaOn(group)}.here`),
          (identity) => [group, identity] as const,
        )
      for (const [group, identity] of yield* Effect.forEach(groups, ofGroup, { concurrency: "unbounded" })) {
        const pool = identity === null ? undefined : workers[started.indexOf(identity)]
        if (pool !== undefined) found.set(group, pool)
      }
      return found
    })

/** Returns null for a server that cannot be reached, or through a pooler, which drops the limits of a connection. */
const identityOf = (pool: pg.Pool, from = "") =>
  rowsOf<{ identity: string; limit: string }>(
    pool,
    `SELECT extract(epoch FROM pg_postmaster_start_time()) || ' ' || current_database() AS identity, current_setting('lock_timeout') AS limit ${from}`,
    [],
  ).pipe(
    Effect.map(([row]) => (row === undefined || (from === "" && row.limit === "0") ? null : row.identity)),
    Effect.orElseSucceed(() => null),
  )

const rowsOf = <Row extends object>(pool: pg.Pool, text: string, values: Array<unknown>) =>
  Effect.tryPromise(async () => (await pool.query<Row>(text, values)).rows)

const placesOf = `
  SELECT substring(n.nspname FROM '[0-9]+$')::integer AS bucket, p.groupid
  FROM pg_dist_shard AS s JOIN pg_dist_placement AS p USING (shardid)
  JOIN pg_class AS c ON c.oid = s.logicalrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
  WHERE c.relname = 'here' AND n.nspname ~ ('^' || $1 || '_b[0-9]+$')`

const namesOf = `
  SELECT c.relname::text AS name, false AS numbered
  FROM pg_dist_partition AS p JOIN pg_class AS c ON c.oid = p.logicalrelid
  WHERE p.partmethod = 'n' AND p.repmodel = 't' AND c.relnamespace = $1::regnamespace
  UNION ALL
  SELECT proname::text, false FROM pg_proc WHERE pronamespace = $1::regnamespace
  UNION ALL
  SELECT c.relname::text, true
  FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
  LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE c.relnamespace = $2::regnamespace
    AND (a.attidentity <> '' OR pg_get_expr(d.adbin, d.adrelid) LIKE '%nextval(%')`

/**
 * Another node than the coordinator counts ids of its own, so an insert must bring them. It should not change tables of all
 * nodes, and cannot change the schema of a bucket.
 */
const canRun = (
  everywhere: ReadonlySet<string>,
  numbered: ReadonlySet<string>,
  statement: string,
): boolean => {
  if (statement.includes("nextval(")) return false
  for (const name of Buckets.namesIn(statement)) {
    if (!everywhere.has(name) && !Buckets.isOnNodes(name)) return false
  }
  return Array.from(statement.matchAll(change)).every(
    ([, kind, name, columns = ""]) =>
      Buckets.isOnNodes(name!) && (kind !== "INSERT INTO" || !numbered.has(name!) || /\bid\b/.test(columns)),
  )
}

/** The kind, the table and, of inserts, the columns. */
const change = /\b(INSERT INTO|UPDATE|DELETE FROM) "?errata"?\."?(\w+)"?(?: AS \w+)?\s*(?:\(([^)]*)\))?/g
