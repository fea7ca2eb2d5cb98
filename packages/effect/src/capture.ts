/** Events of errors, as `errata` and `@errata/effect` make them of errors and causes. */
export type * from "./capture/CaptureContext.js"
export { CaptureControl, type CaptureControlOptions, type ErrorClass } from "./capture/CaptureControl.js"
export type * from "./capture/CaptureEvent.js"
export { partsOf } from "./capture/EffectCause.js"
export { stackOf, titleOf } from "./capture/ErrorTitle.js"
export {
  bytesOf,
  type EventDefaults,
  type EventParts,
  eventOf,
  eventOfMessage,
} from "./capture/EventOfError.js"
export { Losses } from "./capture/Losses.js"
export { type ProcessHandlerOptions, ProcessHandlers } from "./capture/ProcessHandlers.js"
export { environmentOf, releaseOf } from "./capture/ProcessVariables.js"
export { severities } from "./capture/Severities.js"
