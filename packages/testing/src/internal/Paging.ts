import type { Page } from "@errata/core"
import { Effect } from "effect"

/** Reads a list page by page to its end, and runs `between` after each page. */
export const readPages = <A, E, R, E2 = never, R2 = never>(
  limit: number,
  list: (page: Page.PageRequest) => Effect.Effect<Page.Page<A>, E, R>,
  between: Effect.Effect<unknown, E2, R2> = Effect.void as Effect.Effect<unknown, never, never>,
): Effect.Effect<ReadonlyArray<ReadonlyArray<A>>, E | E2, R | R2> =>
  Effect.gen(function* () {
    const pages: Array<ReadonlyArray<A>> = []
    let cursor: number | null = null
    do {
      const page: Page.Page<A> = yield* list({ limit, cursor })
      pages.push(page.items)
      cursor = page.nextCursor
      if (cursor !== null) yield* between
    } while (cursor !== null && pages.length < 100)
    return pages
  })

export const idOf = <A>({ id }: { readonly id: A }): A => id

/** Lets real time pass for fibers that wait for the storage, without a clock. */
export const passTime = <E, R>(ping: Effect.Effect<void, E, R>) =>
  Effect.repeat(Effect.andThen(Effect.yieldNow, ping), { times: 5 })
