/** Events of errors and their reporting, as `errata` and `@errata/effect` share them. */
export type * from "./capture/CaptureContext.js"
export { type EventAbout, type EventDefaults, eventOf } from "./capture/EventOfError.js"
export { Losses } from "./capture/Losses.js"
export { Message } from "./capture/Message.js"
export { type ProcessHandlerOptions, ProcessHandlers } from "./capture/ProcessHandlers.js"
