/** Statements that write many rows with one array parameter per column. */
import type { SqlClient, Statement } from "effect/sql"
import { columnOf, type Description } from "./Rows.js"
import type { Writable } from "./SqlType.js"

export interface Batch<From> {
  /** Column names: `project_id, created_at`. */
  readonly columns: string
  /** Column values of rows called `c`: `c.project_id, to_timestamp(c.created_at / 1000)`. */
  readonly values: string
  /** Assignments of an update from rows called `c`: `name = c.name, updated_at = ...`. */
  readonly changes: string
  /** `unnest(...) AS c (project_id, created_at)`. The text does not depend on the number of rows. */
  readonly rows: (sql: SqlClient.SqlClient, items: ReadonlyArray<From>) => Statement.Fragment
}

/**
 * Makes a batch of a description's writable columns. `ordinality` names an additional column that counts rows from 1.
 */
export const make = <From>(description: Description<From>, ordinality?: string): Batch<From> => {
  const written = Object.entries(description).flatMap(([field, { changes, encode, from, of, sql }]) => {
    if (of === undefined || sql === undefined) return []
    const name = columnOf(field)
    return [{ name, cast: `::${sql}[]`, value: from?.(`c.${name}`) ?? `c.${name}`, changes, encode, of }]
  })
  const names = written.map(({ name }) => name)
  const alias = ordinality === undefined ? "AS c" : "WITH ORDINALITY AS c"
  const named = [...names, ...(ordinality === undefined ? [] : [ordinality])].join(", ")
  // The text between the parameters, like the strings of a template literal.
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
      const parameters = written.map(({ encode, of }) =>
        items.map(encode === undefined ? of : (item) => encode(of(item))),
      )
      return sql(template, ...parameters)
    },
  }
}

/** Makes a batch of columns that have the names of an item's fields. */
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

/** Restricts a description to its key columns and those that change. */
export const changesOf = <From>(
  description: Description<From>,
  ...key: ReadonlyArray<string>
): Description<From> =>
  Object.fromEntries(
    Object.entries(description).filter(([field, { changes }]) => changes === true || key.includes(field)),
  )
