/** Events of errors, as `errata` and `@errata/effect` report them. */
export type * from "./capture/CaptureContext.js"
export { type EventAbout, type EventDefaults, eventOf } from "./capture/EventOfError.js"
