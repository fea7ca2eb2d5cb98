/** What lists have in common. Without Effect: both clients go by it. */

export interface PageQuery {
  readonly limit?: number
  readonly cursor?: number
}

/** A page: its items under their plural name, and how to go on. */
export interface Page {
  readonly next_cursor: number | null
  readonly has_more: boolean
  /** What the list of groups has to say about its query. */
  readonly hints?: ReadonlyArray<unknown>
}

/** The items of a page. */
export type Item<P> = P extends { readonly [K in Exclude<keyof P, keyof Page>]: ReadonlyArray<infer A> }
  ? A
  : never

/** What is asked for where all pages are. */
export const maxPageSize = 100

/** The items of a page, which are all that is an array in it beside hints; null where there is none. */
export const itemsOf = ({ hints: _, ...page }: Page): ReadonlyArray<unknown> | null =>
  Object.values<unknown>(page).find(Array.isArray) ?? null
