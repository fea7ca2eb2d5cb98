/**
 * Describes the rows of a table once. Select lists, row decoders and (in `Batch.ts`) the parameters of batch writes are
 * derived from the description.
 *
 * Fields are named in camel case, `projectId`; their columns in snake case, `project_id`.
 */
import type { Readable, Writable } from "./SqlType.js"

/** A column written with the value that `of` returns for a `From`. */
export interface Written<From, A> extends Writable<A> {
  readonly of: (from: From) => A
  /** True if updates write the column too. */
  readonly changes: boolean
}

/** Columns by field name: readable, writable or both. */
export interface Description<From> {
  readonly [field: string]: Partial<Readable<unknown>> & Partial<Written<From, unknown>>
}

/** The decoded form of a row. */
export type RowOf<Columns> = {
  readonly [Field in keyof Columns as Columns[Field] extends Readable<unknown>
    ? Field
    : never]: Columns[Field] extends Readable<infer A> ? A : never
}

export interface Rows<Columns> {
  /**
   * Returns a select list, qualified with `alias` if given. Computed columns are expressions by field name, and get the
   * column's name.
   */
  readonly select: (
    alias?: string,
    computed?: { readonly [Field in keyof RowOf<Columns>]?: string },
  ) => string
  /** Decodes a row of the driver. */
  readonly read: (row: object) => RowOf<Columns>
}

/** Makes columns that are written only with the row (`once`) or also by updates (`changing`). */
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

/** Returns the column name of a field: `project_id` for `projectId`. */
export const columnOf = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Reads the readable columns of a description. */
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
    // On the hot path: all rows of a description share one hidden class.
    read: (row) => {
      const result = { ...blank }
      for (const { column, field, read } of columns)
        result[field] = read((row as Record<string, unknown>)[column])
      return result as RowOf<Columns>
    },
  }
}
