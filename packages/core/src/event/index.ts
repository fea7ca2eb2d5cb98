/** What applications report. */
export type * from "./ErrorEvent.js"
export { reservedTags } from "./ReservedTags.js"
export * as Severity from "./Severity.js"
