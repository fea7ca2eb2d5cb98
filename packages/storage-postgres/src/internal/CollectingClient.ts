/** A client that collects statements instead of executing them, for printing. */
import { Effect, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection } from "effect/sql"
import { compiler } from "./PgSqlClient.js"
import * as SchemaName from "./SchemaName.js"

/** Appends statements, rendered for the schema. They must not have parameters or read results. */
export const make = (statements: Array<string>, schema: string): Effect.Effect<SqlClient.SqlClient> => {
  const render = SchemaName.renderer(schema)
  const collect = (text: string, values: ReadonlyArray<unknown>) =>
    Effect.sync(() => {
      if (values.length > 0) throw new Error(`A statement that is collected has parameters: ${text}`)
      statements.push(withoutIndentation(render(text)))
      return []
    })
  const connection: SqlConnection.Connection = {
    execute: collect,
    executeRaw: collect,
    executeUnprepared: collect,
    executeValues: collect,
    executeValuesUnprepared: collect,
    executeStream: (text, values) => Stream.fromIterableEffect(collect(text, values)),
  }
  return Effect.provide(
    SqlClient.make({ acquirer: Effect.succeed(connection), compiler, driver: "pg", spanAttributes: [] }),
    Reactivity.layer,
  )
}

// internal

/** Removes the indentation of the surrounding code. */
const withoutIndentation = (text: string): string => {
  const [first = "", ...rest] = text.trim().split("\n")
  const indented = rest.filter((line) => line.trim() !== "").map((line) => line.search(/\S/))
  const common = Math.min(...indented, text.startsWith("\n") ? text.slice(1).search(/\S/) : Infinity)
  return [first, ...rest.map((line) => line.slice(Math.min(common, line.length)))].join("\n")
}
