import type { LogLevel } from "effect"
import type { Severity } from "./CaptureContext.js"

/** The severities of Errata for the levels of Effect. */
export const severities: Readonly<Record<LogLevel.LogLevel, Severity>> = {
  All: "debug",
  Trace: "debug",
  Debug: "debug",
  Info: "info",
  Warn: "warning",
  Error: "error",
  Fatal: "fatal",
  None: "fatal",
}
