/** Confirms actions that cannot be undone: with a prompt on a terminal, and with an option in scripts. */
import { Effect } from "effect"
import { Flag, Prompt } from "effect/cli"
import { CommandFailed, usageError } from "../ErrorOutput.js"
import { toggle } from "../Toggle.js"
import { StandardInput } from "./StandardInput.js"

export const yesOption = {
  yes: toggle("yes", "Skip the confirmation prompt").pipe(Flag.withAlias("y")),
}

export const confirm = ({ yes }: { readonly yes: boolean }, question: string) =>
  Effect.gen(function* () {
    if (yes) return
    if (!(yield* StandardInput).isTerminal()) {
      return yield* usageError("This cannot be undone and requires confirmation. Give --yes to confirm.")
    }
    const isSure = yield* Effect.orElseSucceed(
      Prompt.run(Prompt.Confirm({ message: question, initial: false })),
      () => false,
    )
    if (!isSure) return yield* new CommandFailed({ message: "Nothing was changed." })
  })
