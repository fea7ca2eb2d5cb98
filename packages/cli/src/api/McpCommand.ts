/** `errata mcp`: for coding tools that start a program and speak with it, where they cannot call a server themselves. */
import { Command } from "@effect/cli"
import { NodeStream } from "@effect/platform-node"
import { Effect } from "effect"
import { CommandFailed } from "../ErrorOutput.js"
import { connectionOptions } from "./ApiOptions.js"
import { connection } from "./Connection.js"
import { Output, ReaderGone } from "./Output.js"

const { json: _, ...serverOptions } = connectionOptions

export const mcp = Command.make("mcp", serverOptions, (choice) =>
  Effect.gen(function* () {
    const { apiKey, url } = yield* connection(choice)
    const { write } = yield* Output
    const { serve } = yield* Effect.promise(() => import("@errata/mcp/stdio"))
    yield* serve({
      url,
      apiKey,
      // Not as an iterable: that is let go of only when there is something to read.
      input: NodeStream.fromReadable<CommandFailed | ReaderGone>(
        () => process.stdin,
        () => new CommandFailed({ message: "Standard input cannot be read" }),
      ),
      write: (line) => write(`${line}\n`),
    }).pipe(
      Effect.catchIf(
        (error) => error instanceof ReaderGone,
        () => Effect.void,
      ),
    )
  }),
).pipe(Command.withDescription("Serve coding tools over standard input and output (Model Context Protocol)"))
