/** How a command that failed tells so: one line for people, and an exit status for scripts. */
import { ValidationError as CliError } from "@effect/cli"
import type { ValidationError } from "@errata/core"
import { Console, Data, Effect } from "effect"

/** The command cannot do what it was asked; the message is for the person who ran it. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{ readonly message: string }> {}

/** Turns expected failures of a command into one line on standard error and status 1. */
export const reportFailures = <A, E extends { readonly message: string }, R>(
  effect: Effect.Effect<A, E | CliError.ValidationError, R>,
): Effect.Effect<void, never, R> =>
  effect.pipe(
    Effect.asVoid,
    Effect.catchAll((error) =>
      Effect.zipRight(
        // What is wrong with the command line itself has been told by the parser.
        CliError.isValidationError(error) ? Effect.void : Console.error(`errata: ${error.message}`),
        Effect.sync(() => {
          process.exitCode = 1
        }),
      ),
    ),
  )

/** The messages of a validation error in one line, e.g. `email_address has already been taken`. */
export const sentences = (error: ValidationError): string =>
  Object.entries(error.errors)
    .flatMap(([field, messages]) => messages.map((message) => `${field} ${message}`))
    .join("; ")
