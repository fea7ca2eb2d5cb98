/** Queries for the groups that have a tag. */
import { SearchQuery } from "@errata/core/search"

/** Returns a query with the filter of a tag added, e.g. `is:unresolved environment:production`. */
export const queryForTag = (key: string, value: string, base = ""): string =>
  `${base} ${filterOf(key, value)}`.trim()

// internal

/** Formatted by the parser, which knows the quoting and the tags with their own filters. */
const filterOf = (key: string, value: string): string =>
  SearchQuery.format(SearchQuery.parse(SearchQuery.format({ tags: [{ key, value }], text: [] })))
