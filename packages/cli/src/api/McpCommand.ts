/** `errata mcp`: an MCP server on standard input and output, for coding tools that cannot use HTTP. */
import { NodeStream } from "@effect/platform-node"
import { Effect } from "effect"
import { Command } from "effect/cli"
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
    yield* serve<CommandFailed | ReaderGone>({
      url,
      apiKey,
      // Not as an iterable: Node closes one only when the next input arrives.
      input: NodeStream.fromReadable({
        evaluate: () => process.stdin,
        onError: () => new CommandFailed({ message: "Reading standard input failed" }),
      }),
      write: (line) => write(`${line}\n`),
    }).pipe(
      Effect.catchIf(
        (error) => error instanceof ReaderGone,
        () => Effect.void,
      ),
    )
  }),
).pipe(Command.withDescription("Run an MCP server for coding tools on standard input and output"))
