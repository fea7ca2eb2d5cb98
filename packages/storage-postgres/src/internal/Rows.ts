/**
 * What a table's rows are like, said once: the list of a statement's columns, what is read of a row and, in `Batch.ts`,
 * the parameters of a statement that writes many of them all come from one description.
 *
 * A description names fields as they are called here, `projectId`; their columns are called the same in the database's
 * words, `project_id`.
 */
import type { Readable, Writable } from "./SqlType.js"

/** A column that is written with the value `of` a `From`. */
export interface Written<From, A> extends Writable<A> {
  readonly of: (from: From) => A
  /** Whether it is written again when the row changes. */
  readonly changes: boolean
}

/** By field: columns that are read, written, or both. */
export interface Description<From> {
  readonly [field: string]: Partial<Readable<unknown>> & Partial<Written<From, unknown>>
}

/** A row as it is read. */
export type RowOf<Columns> = {
  readonly [Field in keyof Columns as Columns[Field] extends Readable<unknown>
    ? Field
    : never]: Columns[Field] extends Readable<infer A> ? A : never
}

export interface Rows<Columns> {
  /**
   * The columns of a select list, of `alias` where one is given. What is computed is given by its field: it comes with
   * the name of the column.
   */
  readonly select: (
    alias?: string,
    computed?: { readonly [Field in keyof RowOf<Columns>]?: string },
  ) => string
  /** What a driver has read. */
  readonly read: (row: object) => RowOf<Columns>
}

/** Columns that are written `once`, with the row, and those that are `changing`. */
export const writtenFrom = <From>() => ({
  once: <A, Type extends Writable<A>>(
    type: Type & Writable<A>,
    of: (from: From) => A,
  ): Type & Written<From, A> => ({
    ...type,
    of,
    changes: false,
  }),
  changing: <A, Type extends Writable<A>>(
    type: Type & Writable<A>,
    of: (from: From) => A,
  ): Type & Written<From, A> => ({
    ...type,
    of,
    changes: true,
  }),
})

/** The name of a field's column: `projectId` is `project_id`. */
export const columnOf = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Reads the columns of a description that can be read. */
export const make = <Columns extends Description<never>>(description: Columns): Rows<Columns> => {
  const columns = Object.entries(description).flatMap(([field, { read }]) =>
    read === undefined ? [] : [{ field, column: columnOf(field), read }],
  )
  const blank: Record<string, unknown> = Object.fromEntries(columns.map(({ field }) => [field, null]))
  return {
    select: (alias, computed = {}) =>
      columns
        .map(({ column, field }) => {
          const expression = (computed as Record<string, string | undefined>)[field]
          if (expression !== undefined) return `${expression} AS ${column}`
          return alias === undefined ? column : `${alias}.${column}`
        })
        .join(", "),
    // For every row of the hot path: all rows of a description have one shape.
    read: (row) => {
      const result = { ...blank }
      for (const { column, field, read } of columns)
        result[field] = read((row as Record<string, unknown>)[column])
      return result as RowOf<Columns>
    },
  }
}
