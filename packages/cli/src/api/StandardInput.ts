import { text } from "node:stream/consumers"
import { Context, Effect } from "effect"
import { CommandFailed } from "../ErrorOutput.js"

export interface StandardInputService {
  /** Whether a person can be asked. */
  readonly isTerminal: () => boolean
  /** All that is piped into the command. */
  readonly read: Effect.Effect<string, CommandFailed>
}

/** Standard input, which tests may replace. */
export class StandardInput extends Context.Reference<StandardInput>()("@errata/cli/api/StandardInput", {
  defaultValue: (): StandardInputService => ({
    isTerminal: () => process.stdin.isTTY,
    read: Effect.tryPromise({
      try: () => text(process.stdin),
      catch: () => new CommandFailed({ message: "Standard input cannot be read." }),
    }),
  }),
}) {}
