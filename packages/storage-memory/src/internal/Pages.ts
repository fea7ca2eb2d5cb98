import { Page } from "@errata/core"

/** The page of those items that `find` gives for ids, read until it is full. `ids` start below the page's cursor. */
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
