/** The events that applications report. */
export type * from "./ErrorEvent.js"
export { type ErrorEventParts, makeErrorEvent } from "./ErrorEventBuilder.js"
export { reservedTags } from "./ReservedTags.js"
export * as Severity from "./Severity.js"
