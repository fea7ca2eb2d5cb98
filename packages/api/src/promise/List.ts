import { itemsOf, maxPageSize, type Page } from "../internal/Pages.js"
import type { CallOptions } from "./CallOptions.js"
import { UnexpectedAnswerError } from "./ErrataError.js"

/** Which page of a list, and how long. */
export interface PageOptions {
  /** How many items; 25 unless told, 100 at most. */
  readonly limit?: number | undefined
  /** The `next_cursor` of the page before; null for the first page. */
  readonly cursor?: number | null | undefined
}

/**
 * A list. Nothing is asked of the server before it is iterated, awaited, which gives its first page, or a page is wanted.
 *
 * @example
 * ```ts
 * for await (const group of errata.groups.list(1, { query: "is:unresolved" })) console.log(group.culprit)
 * const { groups } = await errata.groups.list(1)
 * const page = await errata.groups.list(1).page({ limit: 10 })
 * const next = await errata.groups.list(1).page({ limit: 10, cursor: page.next_cursor })
 * ```
 */
export interface List<Item, P> extends AsyncIterable<Item>, PromiseLike<P> {
  /** One page. */
  readonly page: (at?: PageOptions, options?: CallOptions) => Promise<P>
  /** As those of a promise of the first page. */
  readonly catch: Promise<P>["catch"]
  readonly finally: Promise<P>["finally"]
}

export const makeList = (
  pageAt: (query: PageOptions, options: CallOptions) => Promise<unknown>,
  query: PageOptions,
  options: CallOptions,
): List<unknown, unknown> => ({
  page: (at = {}, pageOptions = options) => pageAt({ ...query, ...at }, pageOptions),
  // biome-ignore lint/suspicious/noThenProperty: most lists are wanted by their first page, and `await` is how it is asked for.
  then: (onPage, onFailure) => pageAt(query, options).then(onPage, onFailure),
  catch: (onFailure) => pageAt(query, options).catch(onFailure),
  finally: (onEnd) => pageAt(query, options).finally(onEnd),
  async *[Symbol.asyncIterator]() {
    // As many items a page as there may be, unless the query says otherwise.
    let at: PageOptions = { ...query, limit: query.limit ?? maxPageSize }
    for (;;) {
      const page = (await pageAt(at, options)) as Page
      const { has_more: more, next_cursor: cursor } = page
      const items = itemsOf(page)
      // A server that answers the same page for ever would be asked for ever.
      if (items === null || (more && (cursor === null || cursor === at.cursor))) {
        throw new UnexpectedAnswerError("A list", 200, null, "its next_cursor is invalid")
      }
      yield* items
      if (!more || cursor === null) return
      at = { ...at, cursor }
    }
  },
})
