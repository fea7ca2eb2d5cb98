/** Pagination for upload clients, with `Link` headers. */
import { Page } from "@errata/core"
import type { UploadCall } from "./UploadCall.js"

/** The requested page. An invalid cursor selects the first page. */
export const pageOf = ({ query }: UploadCall): Page.PageRequest => {
  const limit = numberOf(query.get("per_page"))
  return {
    limit: limit === null ? Page.maxPageSize : Math.min(limit, Page.maxPageSize),
    cursor: numberOf(query.get("cursor")),
  }
}

/** The `Link` header of a page. Empty for the last page. */
export const nextPage = (
  { address, path, query }: Pick<UploadCall, "address" | "path" | "query">,
  { nextCursor }: Page.Page<unknown>,
): Readonly<Record<string, string>> => {
  if (nextCursor === null) return {}
  const next = new URLSearchParams(query)
  next.set("cursor", String(nextCursor))
  return { link: `<${address}${path}?${next}>; rel="next"; results="true"; cursor="${nextCursor}"` }
}

// internal

const numberOf = (text: string | null): number | null => {
  const value = text !== null && /^\d{1,15}$/.test(text) ? Number(text) : 0
  return value > 0 ? value : null
}
