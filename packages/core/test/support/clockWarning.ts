import { Logger } from "effect"

/** `TestClock` logs a warning if a test does not adjust it for a second, as on a busy machine. The logger drops it. */
export const withoutClockWarning = (logger: Logger.Logger<unknown, void>): Logger.Logger<unknown, void> =>
  Logger.make((options) => {
    if (!String(options.message).startsWith("A test is using time")) logger.log(options)
  })
