/** Pages of lists. */
import { Effect } from "effect"
import { ValidationError } from "../validation/ValidationError.js"

/** A page of a list: items with ids below `cursor`, newest first. Lists in another order have other cursors. */
export interface PageRequest {
  /** 1 to 100. */
  readonly limit: number
  /** The last id of the previous page; null for the first page. */
  readonly cursor: number | null
}

/** A part of a list. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: number | null
}

/** Default number of items per page. */
export const defaultPageSize = 25
/** Maximum number of items per page. */
export const maxPageSize = 100

/** The first page of the default size. */
export const first: PageRequest = { limit: defaultPageSize, cursor: null }

/** Validates a caller's page, and limits its size to the maximum. Services call stores with the result. */
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

/** Makes a page from rows that were read with a limit of one more, which shows if others follow. */
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
