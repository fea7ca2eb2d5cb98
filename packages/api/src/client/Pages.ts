/** All the pages of a list as one stream. */
import { Effect, Option, Stream } from "effect"
import { itemsOf, maxPageSize, type Page, type PageQuery } from "../internal/Pages.js"
import { UnexpectedAnswer } from "./Failure.js"

/** As many items a page as there may be, unless the query says otherwise. */
export const stream = (
  list: (query: PageQuery) => Effect.Effect<Page, unknown>,
  query: PageQuery,
): Stream.Stream<unknown, unknown> =>
  Stream.paginate({ ...query, limit: query.limit ?? maxPageSize }, (query) =>
    Effect.gen(function* () {
      const page = yield* list(query)
      const { has_more: more, next_cursor: cursor } = page
      const items = itemsOf(page)
      // A server that answers the same page for ever would be asked for ever.
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
