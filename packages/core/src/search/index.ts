/** The language in which groups are searched for. Without dependencies. */
export { notDate, parseDateBound } from "./DateBound.js"
export { hintsOn, type SearchHint } from "./SearchHints.js"
export * as SearchQuery from "./SearchQuery.js"
export * as TextIndex from "./TextIndex.js"
