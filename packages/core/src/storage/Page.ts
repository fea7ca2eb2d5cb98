/** Lists, page by page. */
import { Effect } from "effect"
import { ValidationError } from "../validation/ValidationError.js"

/** A slice of a list: items with an id smaller than `cursor`, newest first. A list of another order has cursors of its own. */
export interface PageRequest {
  /** 1 to 100. */
  readonly limit: number
  /** The last id of the page before, or null for the first page. */
  readonly cursor: number | null
}

/** A part of a list. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** The cursor of the next page; null where there is none. */
  readonly nextCursor: number | null
}

/** Items of a page by default. */
export const defaultPageSize = 25
/** Items that a page may have. */
export const maxPageSize = 100

/** The first page of the default size. */
export const first: PageRequest = { limit: defaultPageSize, cursor: null }

/** A page as callers may ask for it: a larger one than there is counts as the largest. Services ask stores with this. */
export const checked = (page: PageRequest): Effect.Effect<PageRequest, ValidationError> =>
  Effect.as(
    ValidationError.ensure({
      limit: positiveProblem(page.limit),
      cursor: page.cursor === null ? null : positiveProblem(page.cursor),
    }),
    {
      limit: Math.min(page.limit, maxPageSize),
      cursor: page.cursor === null ? null : Math.min(page.cursor, Number.MAX_SAFE_INTEGER),
    },
  )

/** Makes a page of rows that were read with a limit one above the page's: the extra row only says that more follow. */
export const fromRows = <A extends { readonly id: number }>(
  rows: ReadonlyArray<A>,
  { limit }: PageRequest,
  cursorOf: (row: A) => number = (row) => row.id,
): Page<A> => {
  if (rows.length <= limit) return { items: rows, nextCursor: null }
  const items = rows.slice(0, limit)
  const last = items[items.length - 1]
  return { items, nextCursor: last === undefined ? null : cursorOf(last) }
}

// internal

const positiveProblem = (value: number): string | null =>
  Number.isInteger(value) && value > 0 ? null : "must be a positive integer"
