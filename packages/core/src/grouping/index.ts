/** What makes reports a group. */
export { fingerprint, type Grouping, GroupingAlgorithm, GroupingData } from "./Grouping.js"
