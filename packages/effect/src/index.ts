/** Reports the failures of an Effect application to an error tracker. */
export type * from "./capture/CaptureContext.js"
