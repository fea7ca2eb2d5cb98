/** Reports of an application on Effect to the instance in it. */
import { Errata, type LoggerOptions, Message, Reporter } from "@errata/effect"
import { Losses } from "@errata/effect/capture"
import { Cause, Effect, FiberSet, Layer } from "effect"
import { Capture } from "./Capture.js"

/**
 * Reports every failure that reaches Effect's `ErrorReporter`: those of its HTTP and RPC servers, and those that
 * `Effect.withErrorReporting` and `ErrorReporter.report` send.
 */
export const errorReporter: Layer.Layer<never, never, Capture> = Layer.suspend(() =>
  Layer.provide(Errata.errorReporter, layerReporter),
)

/** Reports the lines of `Effect.logError` and `Effect.logFatal`. Lower levels become breadcrumbs of later reports. */
export const logger = (options?: LoggerOptions): Layer.Layer<never, never, Capture> =>
  Layer.provide(Errata.logger(options), layerReporter)

/** Both, with the `Reporter` for `Errata.capture` of `@errata/effect`. An error that both receive is one report. */
export const reporting = (options?: LoggerOptions): Layer.Layer<Reporter, never, Capture> =>
  Layer.provideMerge(Layer.merge(Errata.errorReporter, Errata.logger(options)), layerReporter)

// internal

const layerReporter: Layer.Layer<Reporter, never, Capture> = Layer.effect(
  Reporter,
  Effect.gen(function* () {
    const { read, readMessage, send } = yield* Capture
    const clock = yield* Effect.clockWith(Effect.succeed)
    const fibers = yield* FiberSet.make()
    // Uses the loggers outside of this layer, so that Errata does not report its own failures to itself.
    const run = yield* FiberSet.runtime(fibers)<never>()
    const losses = new Losses(
      (message) => run(Effect.logWarning(message)),
      () => clock.currentTimeMillisUnsafe(),
    )
    let waiting = 0
    yield* Effect.addFinalizer(() =>
      FiberSet.awaitEmpty(fibers).pipe(
        Effect.interruptible,
        Effect.timeoutOption(endTimeout),
        Effect.andThen(Effect.sync(() => losses.sum())),
      ),
    )
    return Reporter.from((thrown, context) => {
      if (waiting >= maxWaiting) {
        losses.note(new Error(`${waiting} others are not stored yet`))
        return
      }
      waiting++
      run(
        send(thrown instanceof Message ? readMessage(thrown.text, context) : read(thrown, context)).pipe(
          Effect.catchCause((cause) => Effect.sync(() => losses.note(errorOf(cause)))),
          Effect.ensuring(Effect.sync(() => waiting--)),
        ),
      )
    })
  }),
)

const maxWaiting = 1_000
const endTimeout = "5 seconds"

const errorOf = (cause: Cause.Cause<unknown>): Error => Cause.prettyErrors(cause)[0] ?? new Error("unknown")
