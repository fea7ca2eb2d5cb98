import { Page } from "@errata/core"

/** Returns the requested page of a list. */
export const pageRequest = (params: {
  readonly limit?: number
  readonly cursor?: number
}): Page.PageRequest => ({ limit: params.limit ?? Page.defaultPageSize, cursor: params.cursor ?? null })
