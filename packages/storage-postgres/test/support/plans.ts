/** What PostgreSQL does for the statements of an effect: each is explained, and undone, before it is executed. */
import { Effect } from "effect"
import pg from "pg"

/** A statement, and how often each table and index was scanned for it, by the table's name. */
export interface Explained {
  readonly statement: string
  readonly scanned: ReadonlyMap<string, number>
}

/** Runs an effect and answers what it executed. One at a time: it is the driver that is listened to. */
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
type Query = (text: string, values: ReadonlyArray<unknown>, then: Then) => unknown

interface Node {
  readonly "Relation Name"?: string
  readonly "Actual Loops": number
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
    const [text, values] = args
    if (text === "BEGIN") inTransaction.add(this)
    if (text === "COMMIT" || text === "ROLLBACK") inTransaction.delete(this)
    if (!/^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(text) || !text.includes("errata.")) {
      return original.apply(this, args)
    }
    const nested = inTransaction.has(this)
    const query = (statement: string, then: Then) =>
      original.call(this, statement, statement.includes("$1") ? values : [], (error, result) => {
        if (error) failures.push(error)
        then(error, result)
      })
    // One after the other: the driver is not to be given the next before it has answered.
    return query(nested ? "SAVEPOINT explained" : "BEGIN", () =>
      query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, (error, result) => {
        if (!error) {
          statements.push({ statement: text, scanned: scannedBy(result.rows[0]!["QUERY PLAN"][0]!.Plan) })
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

const scannedBy = (plan: Node): ReadonlyMap<string, number> => {
  const scans = new Map<string, number>()
  const visit = (node: Node) => {
    const name = node["Relation Name"]
    const loops = node["Actual Loops"]
    if (name !== undefined && loops > 0 && node["Node Type"] !== "ModifyTable") {
      scans.set(name, (scans.get(name) ?? 0) + loops)
    }
    node.Plans?.forEach(visit)
  }
  visit(plan)
  return scans
}
