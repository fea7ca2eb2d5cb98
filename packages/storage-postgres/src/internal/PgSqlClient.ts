/**
 * An SQL client on the driver `pg`. Errata can share the `pg` pool of its host application. Its own pools use the same
 * client, with the same limits, prepared statements and type parsers.
 */
import { Context, Effect, type Scope, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, Statement } from "effect/sql"
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import type pg from "pg"
import * as Buckets from "./Buckets.js"
import * as ClusterNodes from "./ClusterNodes.js"
import * as Prepared from "./Prepared.js"
import * as SchemaName from "./SchemaName.js"
import { sqlState } from "./SqlState.js"

export interface Options {
  /** Prepare the statements that request it. Default: false */
  readonly prepared?: boolean
  /** The schema of the tables. Default: errata */
  readonly schema?: string | undefined
  /** Workers of a cluster. Default: none */
  readonly nodes?: ClusterNodes.ClusterNodes | undefined
}

/** The pool of a worker on which a transaction begins. Null stands for the pool of the client. */
export const PoolOfTransaction = Context.Reference<pg.Pool | null>(
  "@errata/storage-postgres/PoolOfTransaction",
  { defaultValue: () => null },
)

/** Each statement outside of a transaction uses its own connection of the pool. */
export const make = (
  pool: pg.Pool,
  { prepared = false, schema = SchemaName.standard, nodes = ClusterNodes.none }: Options = {},
): Effect.Effect<SqlClient.SqlClient> => {
  const known: Buckets.Known = { count: undefined }
  const connect = (runOf: RunOf) => connection(runOf, prepared, schema, known)
  const main = onPool(pool)
  /** Without a connection, nothing was sent. The coordinator also reaches the node. */
  const onWorker =
    (own: pg.Pool): Run =>
    (query) =>
      Effect.catch(onPool(own)(query), (error) => {
        if (!isLost(error)) return Effect.fail(error)
        nodes.forget(own)
        return error.reason._tag === "ConnectionError" ? main(query) : Effect.fail(error)
      })
  /** A statement outside of a transaction. */
  const runOf: RunOf = (statement, place) => {
    const own = typeof place === "number" ? nodes.poolOf(place) : null
    return own !== null && nodes.canRun()(statement) ? onWorker(own) : main
  }
  /** A transaction, on the coordinator or on another node. */
  const begin = Effect.flatMap(PoolOfTransaction, (own) => {
    if (own === null) return Effect.map(reserve(pool), (run) => connect(() => run))
    const forgetLost = <A, R>(effect: Effect.Effect<A, SqlError, R>) =>
      Effect.tapError(effect, (error) => Effect.sync(() => isLost(error) && nodes.forget(own)))
    // Of one moment: what the nodes have does not change with the state of their connections.
    const canRun = nodes.canRun()
    const onNode =
      (run: Run): RunOf =>
      (statement) => {
        if (statement.startsWith(Buckets.onCoordinator)) return main
        if (canRun(statement)) return (query) => forgetLost(run(query))
        throw new Error(`A transaction on a node contains a statement for the coordinator: ${statement}`)
      }
    return Effect.map(forgetLost(reserve(own)), (run) => connect(onNode(run)))
  })
  return Effect.provide(
    SqlClient.make({
      acquirer: Effect.succeed(connect(runOf)),
      transactionAcquirer: begin,
      compiler,
      driver: "pg",
      spanAttributes: [["db.system.name", "postgresql"]],
    }),
    Reactivity.layer,
  ).pipe(Effect.tap((client) => Effect.sync(() => Buckets.register(client, known))))
}

/** The error of a statement, or of a connection that was lost with it. */
export const statementFailed = (cause: unknown): SqlError =>
  new SqlError({ reason: new UnknownError({ cause, message: "The statement failed" }) })

/** The error when no connection is available. */
export const connectionFailed = (cause: unknown, message: string): SqlError =>
  new SqlError({ reason: new ConnectionError({ cause, message }) })

/** Writes statements in PostgreSQL's dialect. */
export const compiler = Statement.makeCompiler({
  dialect: "pg",
  placeholder: (index) => `$${index}`,
  onIdentifier: Statement.defaultEscape('"'),
  onRecordUpdate: (placeholders, alias, columns, values, returning) => [
    `(values ${placeholders}) AS ${alias}${columns}${returning ? ` RETURNING ${returning[0]}` : ""}`,
    returning ? [...values.flat(), ...returning[1]] : values.flat(),
  ],
  onCustom: () => ["", []],
})

// internal

/** Checks whether the connection failed, and not a statement on it. */
const isLost = ({ reason }: SqlError): boolean =>
  reason._tag === "ConnectionError" || sqlState(reason.cause) === null

type Result = pg.QueryResult | ReadonlyArray<pg.QueryResult>

/** Runs a statement. Interruption cancels it on the server. */
type Run = (query: Query) => Effect.Effect<Result, SqlError>

/** Chooses the connection of a statement by its text for the schema `errata`. */
type RunOf = (statement: string, place: Buckets.Place) => Run

/** Sends a statement on a connection. */
type Query = (client: pg.PoolClient, answered: (error: Error | null, result: Result) => void) => void

const asRows =
  (text: string, values: ReadonlyArray<unknown>, name?: string): Query =>
  (client, answered) =>
    client.query(
      { text, values: values as Array<unknown>, ...(name === undefined ? {} : { name }) },
      answered,
    )

const asArrays =
  (text: string, values: ReadonlyArray<unknown>): Query =>
  (client, answered) =>
    client.query({ text, values: [...values], rowMode: "array" }, answered)

const connection = (
  runOf: RunOf,
  prepared: boolean,
  schema: string,
  known: Buckets.Known,
): SqlConnection.Connection => {
  const nameOf = prepared ? Prepared.nameOf : () => undefined
  const render = SchemaName.renderer(schema)
  /** Runs a statement in the fiber's bucket, if there are buckets. */
  const placed = <A>(written: string, one: (text: string, run: Run) => Effect.Effect<A, SqlError>) => {
    const { count } = known
    if (!count) return one(render(written), runOf(written, null))
    return Effect.flatMap(Buckets.Current, (place) => {
      const run = runOf(written, place)
      const [first, ...rest] = Buckets.texts(written, place, count, schema).map((text) =>
        one(render(text), run),
      )
      return rest.reduce((before, next) => Effect.andThen(before, next), first!)
    })
  }
  const execute: SqlConnection.Connection["execute"] = (written, values, transform) =>
    placed(written, (text, run) =>
      Effect.map(run(asRows(text, values, nameOf(text))), (result) => {
        const rows = "rows" in result ? (result.rows ?? []) : result.map(({ rows }) => rows ?? [])
        return transform === undefined ? rows : transform(rows)
      }),
    )
  const executeValues: SqlConnection.Connection["executeValues"] = (written, values) =>
    placed(written, (text, run) =>
      Effect.map(run(asArrays(text, values)), (result) => ("rows" in result ? result.rows : [])),
    )
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: (written, values) => placed(written, (text, run) => run(asRows(text, values))),
    executeValues,
    executeValuesUnprepared: executeValues,
    executeStream: (text, values, transform) => Stream.fromIterableEffect(execute(text, values, transform)),
  }
}

const reserve = (pool: pg.Pool): Effect.Effect<Run, SqlError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(connect(pool), ({ release }) => Effect.sync(release)),
    (held) => onClient(pool, held),
  )

interface Held {
  readonly client: pg.PoolClient
  /** Checks the error of a statement, if it had one. */
  readonly answered: (error: Error | null) => void
  readonly release: () => void
}

/** A connection that breaks while held is closed on release. */
const hold = (client: pg.PoolClient): Held => {
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  client.on("error", onError)
  return {
    client,
    // The server has become read-only. A new connection may reach another one.
    answered: (error) => {
      if (sqlState(error) === readOnly) broken = error ?? undefined
    },
    release: () => {
      client.off("error", onError)
      client.release(broken)
    },
  }
}

const noConnection = (cause: unknown) => connectionFailed(cause, "No connection to the database is available")

const connect = (pool: pg.Pool): Effect.Effect<Held, SqlError> =>
  Effect.callback((resume) => {
    pool.connect((error, client) =>
      resume(client === undefined ? Effect.fail(noConnection(error)) : Effect.succeed(hold(client))),
    )
  })

const readOnly = "25006"

const onClient =
  (pool: pg.Pool, { answered, client }: Held): Run =>
  (query) =>
    Effect.callback((resume) => {
      query(client, (error, result) => {
        answered(error)
        resume(error ? Effect.fail(statementFailed(error)) : Effect.succeed(result))
      })
      return cancel(pool, client)
    })

const onPool =
  (pool: pg.Pool): Run =>
  (query) =>
    Effect.callback((resume) => {
      let held: Held | undefined
      let isOver = false
      const end = () => {
        if (!isOver) held?.release()
        isOver = true
      }
      pool.connect((error, client) => {
        if (client === undefined) return resume(Effect.fail(noConnection(error)))
        held = hold(client)
        if (isOver) return held.release()
        query(client, (error, result) => {
          held?.answered(error)
          end()
          resume(error ? Effect.fail(statementFailed(error)) : Effect.succeed(result))
        })
      })
      return Effect.suspend(() =>
        Effect.ensuring(held === undefined ? Effect.void : cancel(pool, held.client), Effect.sync(end)),
      )
    })

/** Cancels the running statement. The server does not say whether the request came in time. */
const cancel = (pool: pg.Pool, client: pg.PoolClient): Effect.Effect<void> => {
  const { processID } = client as { readonly processID?: unknown }
  return typeof processID !== "number"
    ? Effect.void
    : Effect.callback<void>((resume) => {
        if (pool.ending) return resume(Effect.void)
        pool.query(`SELECT pg_cancel_backend(${processID})`, () => resume(Effect.void))
      }).pipe(Effect.timeoutOption("5 seconds"), Effect.asVoid)
}
