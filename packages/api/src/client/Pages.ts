/** All the pages of a list as one stream. */
import { Effect, Option, Stream } from "effect"
import { itemsOf, maxPageSize, type Page, type PageQuery } from "../internal/Pages.js"
import { UnexpectedAnswer } from "./Failure.js"

/** The largest page size saves requests, unless the query has a limit. */
export const stream = (
  list: (query: PageQuery) => Effect.Effect<Page, unknown>,
  query: PageQuery,
): Stream.Stream<unknown, unknown> =>
  Stream.paginate({ ...query, limit: query.limit ?? maxPageSize }, (query) =>
    Effect.gen(function* () {
      const page = yield* list(query)
      const { has_more: more, next_cursor: cursor } = page
      const items = itemsOf(page)
      // A server that repeats a page would be requested forever.
      if (items === null || (more && (cursor === null || cursor === query.cursor))) {
        return yield* new UnexpectedAnswer({
          request: "A list",
          status: 200,
          contentType: null,
          detail: "its next_cursor is invalid",
        })
      }
      return [items, more && cursor !== null ? Option.some({ ...query, cursor }) : Option.none()] as const
    }),
  )
