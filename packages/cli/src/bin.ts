#!/usr/bin/env node
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Effect, Layer, Logger, Option } from "effect"
import { run } from "./Errata.js"
import { reportFailures } from "./ErrorOutput.js"
import * as RecorderThread from "./RecorderThread.js"

// Logs go to standard error: what a command answers on standard output can be piped.
const logger = Logger.replace(
  Logger.defaultLogger,
  Logger.withConsoleError(process.stderr.isTTY ? Logger.prettyLogger() : Logger.logfmtLogger),
)

const recorder = RecorderThread.program()

if (recorder === null) {
  run(process.argv).pipe(
    reportFailures,
    Effect.provide(Layer.merge(NodeContext.layer, logger)),
    Effect.provideService(RecorderThread.Script, Option.some(new URL(import.meta.url))),
    NodeRuntime.runMain({ disablePrettyLogger: true }),
  )
} else {
  // A failure ends the thread; whoever started it is told.
  await Effect.runPromise(Effect.provide(recorder, logger))
}
