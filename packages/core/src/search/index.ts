/** The search language for groups. Has no dependencies. */
export {
  momentOf,
  notTimeBound,
  parseDateBound,
  parseTimeBound,
  type Span,
  type TimeBound,
} from "./DateBound.js"
export { hintsOn, type SearchHint } from "./SearchHints.js"
export * as SearchQuery from "./SearchQuery.js"
export * as TextIndex from "./TextIndex.js"
