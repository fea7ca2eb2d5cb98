import { text } from "node:stream/consumers"
import { Context, Effect } from "effect"
import { CommandFailed } from "../ErrorOutput.js"

export interface StandardInputService {
  /** True if the command can prompt. */
  readonly isTerminal: () => boolean
  /** Reads all piped input. */
  readonly read: Effect.Effect<string, CommandFailed>
}

/** Standard input. Tests can replace it. */
export const StandardInput = Context.Reference("@errata/cli/api/StandardInput", {
  defaultValue: (): StandardInputService => ({
    isTerminal: () => process.stdin.isTTY,
    read: Effect.tryPromise({
      try: () => text(process.stdin),
      catch: () => new CommandFailed({ message: "Reading standard input failed." }),
    }),
  }),
})
