import { Page } from "@errata/core"

/** What part of a list is asked for. */
export const pageRequest = (params: {
  readonly limit?: number
  readonly cursor?: number
}): Page.PageRequest => ({ limit: params.limit ?? Page.defaultPageSize, cursor: params.cursor ?? null })
