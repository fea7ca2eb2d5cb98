/** A slice of a list: items with an id smaller than `cursor`, newest first. */
export interface PageRequest {
  /** 1 to 100. */
  readonly limit: number
  /** The last id of the page before, or null for the first page. */
  readonly cursor: number | null
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** The cursor of the next page; null where there is none. */
  readonly nextCursor: number | null
}

export const defaultPageSize = 25
export const maxPageSize = 100

/** Makes a page of rows that were read with a limit one above the page's: the extra row only says that more follow. */
export const fromRows = <A extends { readonly id: number }>(
  rows: ReadonlyArray<A>,
  { limit }: PageRequest,
): Page<A> => {
  if (rows.length <= limit) return { items: rows, nextCursor: null }
  const items = rows.slice(0, limit)
  return { items, nextCursor: items[items.length - 1]?.id ?? null }
}
