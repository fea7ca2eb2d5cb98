/** A program on Effect that reports by DSN, and ends in the way that its arguments name: `reports.mjs WAY DSN`. */
import { NodeRuntime } from "@effect/platform-node"
import { Errata } from "@errata/effect"
import { Data, Effect, ManagedRuntime } from "effect"

class OutOfTea extends Data.TaggedError("OutOfTea")<{ readonly kettle: string }> {}

const [way = "", dsn = "", shutdownTimeout = "2 minutes"] = process.argv.slice(2)
const reports = Errata.layer({
  dsn,
  release: "shop@1.4.0",
  environment: "test",
  shutdownTimeout: shutdownTimeout as "2 minutes",
})

const main = (program: Effect.Effect<unknown, unknown>) =>
  NodeRuntime.runMain(program.pipe(Effect.withErrorReporting, Effect.provide(reports)))

const later = (work: () => void) =>
  Effect.andThen(
    Effect.sync(() => setTimeout(work, 50)),
    Effect.never,
  )

const ways: Readonly<Record<string, () => unknown>> = {
  failure: () => main(Effect.withSpan(Effect.fail(new OutOfTea({ kettle: "blue" })), "brew")),
  log: () => main(Effect.andThen(Effect.logInfo("The kettle boils"), Effect.logFatal("The house burns"))),
  exception: () =>
    main(
      later(() => {
        throw new RangeError("thrown")
      }),
    ),
  rejection: () => main(later(() => void Promise.reject(new TypeError("rejected")))),
  signal: () =>
    main(
      Effect.andThen(
        Errata.capture(new RangeError("before the signal")),
        later(() => process.kill(process.pid, "SIGTERM")),
      ).pipe(Effect.provide(reports)),
    ),
  burst: () =>
    main(
      Effect.forEach(Array.from({ length: 200 }), (_, i) =>
        Effect.exit(Effect.withErrorReporting(Effect.fail(new Error(`one of many ${i}`)))),
      ),
    ),
  runtime: () =>
    ManagedRuntime.make(reports)
      .runPromise(Effect.withErrorReporting(Effect.fail(new RangeError("without an end"))))
      .catch(() => undefined),
}
ways[way]?.()
