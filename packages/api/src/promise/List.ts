import { itemsOf, maxPageSize, type Page } from "../internal/Pages.js"
import type { CallOptions } from "./CallOptions.js"
import { UnexpectedAnswerError } from "./ErrataError.js"

/** The position and the size of a page. */
export interface PageOptions {
  /** Number of items. Default: 25; maximum: 100. */
  readonly limit?: number | undefined
  /** The `next_cursor` of the previous page, or null for the first page. */
  readonly cursor?: number | null | undefined
}

/**
 * A list. Requests are sent on demand: by iterating it, by awaiting it for the first page, or by `page`.
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
  /** Returns one page. */
  readonly page: (at?: PageOptions, options?: CallOptions) => Promise<P>
  /** Equal to `catch` of the promise of the first page. */
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
    // The largest page size saves requests, unless the query has a limit.
    let at: PageOptions = { ...query, limit: query.limit ?? maxPageSize }
    for (;;) {
      const page = (await pageAt(at, options)) as Page
      const { has_more: more, next_cursor: cursor } = page
      const items = itemsOf(page)
      // A server that repeats a page would be requested forever.
      if (items === null || (more && (cursor === null || cursor === at.cursor))) {
        throw new UnexpectedAnswerError("A list", 200, null, "its next_cursor is invalid")
      }
      yield* items
      if (!more || cursor === null) return
      at = { ...at, cursor }
    }
  },
})
