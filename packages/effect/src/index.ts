/** Reports the failures of an Effect application to an error tracker. */
export type {
  CaptureBreadcrumb,
  CaptureContext,
  CaptureControlOptions,
  CaptureEvent,
  CaptureRequest,
  CaptureUser,
  ErrorClass,
  Severity,
} from "./capture.js"
export { InvalidDsn } from "./Dsn.js"
export * as Errata from "./Errata.js"
export type { LoggerOptions } from "./LogReporting.js"
export { Message } from "./Message.js"
export { type Origin, Reporter, type Send } from "./Reporter.js"
