/** Statements that write many rows: one parameter for each column, which is an array of the column's values. */
import type { SqlClient, Statement } from "effect/sql"
import { columnOf, type Description } from "./Rows.js"
import type { Writable } from "./SqlType.js"

export interface Batch<From> {
  /** `project_id, created_at` */
  readonly columns: string
  /** What is stored in the columns, of rows that are called `c`: `c.project_id, to_timestamp(c.created_at / 1000)`. */
  readonly values: string
  /** For an update from rows that are called `c`, what changes: `name = c.name, updated_at = ...`. */
  readonly changes: string
  /** `unnest(...) AS c (project_id, created_at)`: the same text for any number of rows. */
  readonly rows: (sql: SqlClient.SqlClient, items: ReadonlyArray<From>) => Statement.Fragment
}

/**
 * Writes the columns of a description that are written. With `ordinality` the rows have a column of that name besides,
 * which counts them from 1.
 */
export const make = <From>(description: Description<From>, ordinality?: string): Batch<From> => {
  const written = Object.entries(description).flatMap(([field, { changes, from, of, sql, write }]) => {
    if (of === undefined || write === undefined) return []
    const name = columnOf(field)
    return [{ name, cast: `::${sql}[]`, value: from?.(`c.${name}`) ?? `c.${name}`, changes, of, write }]
  })
  const names = written.map(({ name }) => name)
  const alias = ordinality === undefined ? "AS c" : "WITH ORDINALITY AS c"
  const named = [...names, ...(ordinality === undefined ? [] : [ordinality])].join(", ")
  // The text between the parameters, as a template has it.
  const parts = [
    "unnest(",
    ...written.slice(1).map((_, i) => `${written[i]!.cast}, `),
    `${written[written.length - 1]!.cast}) ${alias} (${named})`,
  ]
  const template = Object.assign(parts, { raw: parts })
  return {
    columns: names.join(", "),
    values: written.map(({ value }) => value).join(", "),
    changes: written
      .flatMap(({ changes, name, value }) => (changes === true ? [`${name} = ${value}`] : []))
      .join(", "),
    rows: (sql, items) => {
      const parameters: Array<string> = []
      for (const { of, write } of written) parameters.push(write(items.map(of)))
      return sql(template, ...parameters)
    },
  }
}

/** The same where all that is written of an item are fields of it, each in the column of its name. */
export const ofFields = <From>(
  types: { readonly [Field in keyof From & string]?: Writable<From[Field]> },
  ordinality?: string,
): Batch<From> =>
  make<From>(
    Object.fromEntries(
      Object.entries<Writable<unknown> | undefined>(types).map(([field, type]) => [
        field,
        { ...type, of: (from: From) => from[field as keyof From], changes: false },
      ]),
    ),
    ordinality,
  )

/** Of a description what names a row, and what changes of it. */
export const changesOf = <From>(
  description: Description<From>,
  ...key: ReadonlyArray<string>
): Description<From> =>
  Object.fromEntries(
    Object.entries(description).filter(([field, { changes }]) => changes === true || key.includes(field)),
  )
