import { Page } from "@errata/core"

/** Reads items with `find` until a page is full. `ids` must start below the page's cursor. */
export const pageOf = <A extends { readonly id: number }>(
  ids: Iterable<number>,
  page: Page.PageRequest,
  find: (id: number) => A | undefined,
): Page.Page<A> => {
  const rows: Array<A> = []
  for (const id of ids) {
    const item = find(id)
    if (item === undefined) continue
    rows.push(item)
    if (rows.length > page.limit) break
  }
  return Page.fromRows(rows, page)
}
