/** What cannot be undone is asked for once more: of people on a terminal, and of scripts by an option. */
import { Options, Prompt } from "@effect/cli"
import { Effect } from "effect"
import { CommandFailed, exitCodes } from "../ErrorOutput.js"
import { StandardInput } from "./StandardInput.js"

export const yesOption = {
  yes: Options.boolean("yes").pipe(
    Options.withAlias("y"),
    Options.withDescription("Do not ask for confirmation"),
  ),
}

export const confirm = ({ yes }: { readonly yes: boolean }, question: string) =>
  Effect.gen(function* () {
    if (yes) return
    if (!(yield* StandardInput).isTerminal()) {
      return yield* new CommandFailed({
        message: "This cannot be undone. Give --yes to do it without being asked.",
        exitCode: exitCodes.usage,
      })
    }
    const isSure = yield* Effect.orElseSucceed(
      Prompt.run(Prompt.confirm({ message: question, initial: false })),
      () => false,
    )
    if (!isSure) return yield* new CommandFailed({ message: "Nothing was changed." })
  })
