#!/usr/bin/env node
import { extname } from "node:path"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect, Option, Runtime } from "effect"
import { run } from "./Errata.js"
import { reportFailures } from "./ErrorOutput.js"
import { RecorderScript } from "./RecorderScript.js"

// The script of the recorder thread is built next to this one.
const recorderScript = new URL(`./recorder${extname(import.meta.url)}`, import.meta.url)

const interrupted = 130

// A second signal ends the process at once. These listeners come before the one of `runMain`: once the log says that the
// server stops, the next signal must end it.
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => process.removeAllListeners("SIGINT").removeAllListeners("SIGTERM"))
}

run(process.argv).pipe(
  reportFailures,
  Effect.provide(NodeServices.layer),
  Effect.provideService(RecorderScript, Option.some(recorderScript)),
  NodeRuntime.runMain({
    // A command that ends by a signal has not failed.
    teardown: (exit, onExit) =>
      Runtime.defaultTeardown(exit, (code) => onExit(code === interrupted ? 0 : code)),
  }),
)
