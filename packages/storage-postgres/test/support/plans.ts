/** Records the query plans of an effect. Each statement is explained with ANALYZE and rolled back before it runs. */
import { Effect } from "effect"
import pg from "pg"

/** A statement with the number of scans and of returned rows by table, indexes included. */
export interface Explained {
  readonly statement: string
  readonly scanned: ReadonlyMap<string, number>
  readonly rows: ReadonlyMap<string, number>
  /** Rows read by table, including filtered ones. */
  readonly read: ReadonlyMap<string, number>
}

/** Runs an effect and returns its result and statements. Not concurrently: it patches the driver. */
export const explain = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(listen),
    ({ failures, statements }) =>
      Effect.flatMap(effect, (result) =>
        failures.length > 0 ? Effect.die(failures[0]) : Effect.succeed({ result, statements }),
      ),
    ({ stop }) => Effect.sync(stop),
  )

// internal

type Then = (
  error: Error | null,
  result: pg.QueryResult<{ "QUERY PLAN": ReadonlyArray<{ Plan: Node }> }>,
) => void
/** Errata's statements have values; transaction commands are strings. */
type Given = string | { readonly text: string; readonly values?: ReadonlyArray<unknown> }
type Query = (given: Given, ...rest: ReadonlyArray<unknown>) => unknown

interface Node {
  readonly "Relation Name"?: string
  readonly "Actual Loops": number
  /** Rows per loop. */
  readonly "Actual Rows": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly "Node Type": string
  readonly Plans?: ReadonlyArray<Node>
}

const listen = () => {
  const client = pg.Client.prototype as unknown as { query: Query }
  const original = client.query
  const inTransaction = new WeakSet<object>()
  const statements: Array<Explained> = []
  const failures: Array<Error> = []
  client.query = function (this: object, ...args) {
    const [given] = args
    const { text, values = [] } = typeof given === "string" ? { text: given } : given
    if (text === "BEGIN") inTransaction.add(this)
    if (text === "COMMIT" || text === "ROLLBACK") inTransaction.delete(this)
    if (
      !/^\s*(\/\*.*?\*\/)?\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text) ||
      !text.includes("errata.")
    ) {
      return original.apply(this, args)
    }
    const nested = inTransaction.has(this)
    const query = (statement: string, then: Then) =>
      original.call(this, statement, statement.includes("$1") ? values : [], ((error, result) => {
        if (error) failures.push(error)
        then(error, result)
      }) satisfies Then)
    // In sequence: the driver must respond before it gets the next statement.
    return query(nested ? "SAVEPOINT explained" : "BEGIN", () =>
      query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, (error, result) => {
        if (!error) {
          statements.push({ statement: text, ...scansOf(result.rows[0]!["QUERY PLAN"][0]!.Plan) })
        }
        query(nested ? "ROLLBACK TO SAVEPOINT explained" : "ROLLBACK", () => original.apply(this, args))
      }),
    )
  }
  return {
    statements: statements as ReadonlyArray<Explained>,
    failures: failures as ReadonlyArray<Error>,
    stop: () => {
      client.query = original
    },
  }
}

const scansOf = (plan: Node): Omit<Explained, "statement"> => {
  const scanned = new Map<string, number>()
  const rows = new Map<string, number>()
  const read = new Map<string, number>()
  const visit = (node: Node) => {
    const name = node["Relation Name"]
    const loops = node["Actual Loops"]
    if (name !== undefined && loops > 0 && node["Node Type"] !== "ModifyTable") {
      scanned.set(name, (scanned.get(name) ?? 0) + loops)
      rows.set(name, (rows.get(name) ?? 0) + loops * node["Actual Rows"])
      const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)
      read.set(name, (read.get(name) ?? 0) + loops * (node["Actual Rows"] + removed))
    }
    node.Plans?.forEach(visit)
  }
  visit(plan)
  return { scanned, rows, read }
}
