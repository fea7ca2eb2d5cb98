import { Logger } from "effect"

/** Logs on standard error, so that what a command answers on standard output can be piped. */
export const layerLogger = Logger.replace(
  Logger.defaultLogger,
  Logger.withConsoleError(process.stderr.isTTY ? Logger.prettyLogger() : Logger.logfmtLogger),
)
