/** Prints lists of the storage as lists of the API are printed, in pages with the same names. */
import { pageFields } from "@errata/api/internal"
import { Page } from "@errata/core"
import { Effect, Option, Stream } from "effect"
import type { PageChoice } from "./api/ApiOptions.js"
import { type ListColumn, list as listing, type PageQuery } from "./api/Listing.js"

export { deadLetterView } from "@errata/api/internal"

export interface StoredList<A, B, E, R> {
  readonly choice: PageChoice & { readonly json: boolean }
  /** The name of the items in JSON. */
  readonly key: string
  readonly columns: ReadonlyArray<ListColumn<B>>
  /** Printed if the list is empty. */
  readonly empty: string
  readonly read: (page: Page.PageRequest) => Effect.Effect<Page.Page<A>, E, R>
  readonly view: (item: A) => B
}

export const listStored = <A, B, E, R>({ choice, columns, empty, key, read, view }: StoredList<A, B, E, R>) =>
  listing({
    choice,
    columns,
    empty,
    page: ({ cursor, limit = Page.defaultPageSize }: PageQuery) =>
      Effect.map(read({ cursor: cursor ?? null, limit }), (page) => ({
        [key]: page.items.map(view),
        ...pageFields(page),
      })),
    items: (page) => (page as Record<string, unknown>)[key] as ReadonlyArray<B>,
    stream: ({ cursor, limit = Page.maxPageSize }: PageQuery) =>
      Stream.paginate(cursor ?? null, (from) =>
        Effect.map(read({ cursor: from, limit }), ({ items, nextCursor }) => [
          items.map(view),
          Option.fromNullishOr(nextCursor),
        ]),
      ),
  })
