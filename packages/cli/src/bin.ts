#!/usr/bin/env node
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { Effect, Layer, Logger } from "effect"
import { run } from "./Errata.js"
import { reportFailures } from "./ErrorOutput.js"

// Logs go to standard error: what a command answers on standard output can be piped.
const logger = Logger.replace(
  Logger.defaultLogger,
  Logger.withConsoleError(process.stderr.isTTY ? Logger.prettyLogger() : Logger.logfmtLogger),
)

run(process.argv).pipe(
  reportFailures,
  Effect.provide(Layer.merge(NodeContext.layer, logger)),
  NodeRuntime.runMain({ disablePrettyLogger: true, disableErrorReporting: false }),
)
