/** Pagination, for both clients. Does not import Effect. */

export interface PageQuery {
  readonly limit?: number
  readonly cursor?: number
}

/** A page: its items under a plural name, and the cursor of the next page. */
export interface Page {
  readonly next_cursor: number | null
  readonly has_more: boolean
  /** Hints about the query, in the list of groups. */
  readonly hints?: ReadonlyArray<unknown>
}

/** The items of a page. */
export type Item<P> = P extends { readonly [K in Exclude<keyof P, keyof Page>]: ReadonlyArray<infer A> }
  ? A
  : never

/** The page size used to fetch all pages. */
export const maxPageSize = 100

/** The items of a page: its only array beside `hints`. Null if there is none. */
export const itemsOf = ({ hints: _, ...page }: Page): ReadonlyArray<unknown> | null =>
  Object.values<unknown>(page).find(Array.isArray) ?? null
