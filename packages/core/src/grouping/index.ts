/** The grouping of reports. */
export { fingerprint, type Grouping, GroupingAlgorithm, GroupingData } from "./Grouping.js"
