/** The `ErrorReporter` of Effect: HTTP and RPC servers and `Effect.withErrorReporting` send failures to it. */
import { Effect, ErrorReporter, type Layer } from "effect"
import { Reporter } from "./Reporter.js"

/** Reports every failure that reaches Effect's `ErrorReporter`, besides the reporters that are already there. */
export const errorReporter: Layer.Layer<never, never, Reporter> = ErrorReporter.layer(
  [
    Effect.map(
      Reporter,
      ({ reportCause }): ErrorReporter.ErrorReporter => ({
        [ErrorReporter.TypeId]: ErrorReporter.TypeId,
        report: ({ cause, fiber, timestamp }) =>
          reportCause(cause, { fiber, context: { timestamp: new Date(Number(timestamp / 1_000_000n)) } }),
      }),
    ),
  ],
  { mergeWithExisting: true },
)
