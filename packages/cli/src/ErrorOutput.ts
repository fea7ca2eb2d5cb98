/** How a command that failed tells so: one line for people, and an exit status for scripts. */
import { ValidationError as CliError } from "@effect/cli"
import type { ValidationError } from "@errata/core"
import { Cause, Console, Data, Effect } from "effect"

/** What scripts can tell apart. */
export const exitCodes = {
  /** Something failed that should not have, or that has no status of its own. */
  failed: 1,
  /** The command line is wrong; nothing was asked of anybody. */
  usage: 2,
  /** No API key, one that is not accepted, or one that may not do this. */
  denied: 3,
  notFound: 4,
  /** The server refuses what was given. */
  invalid: 5,
  /** The server cannot be reached, or asks to come back later. */
  unavailable: 6,
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The command cannot do what it was asked; the message is for the person who ran it. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly message: string
  readonly exitCode?: ExitCode
}> {}

/** Turns expected failures of a command into one line on standard error and an exit status. */
export const reportFailures = <A, E extends { readonly message: string; readonly exitCode?: ExitCode }, R>(
  effect: Effect.Effect<A, E | CliError.ValidationError, R>,
): Effect.Effect<void, never, R> =>
  effect.pipe(
    Effect.asVoid,
    Effect.catchAll((error) =>
      // What is wrong with the command line itself has been told by the parser.
      CliError.isValidationError(error)
        ? exitWith(exitCodes.usage)
        : Effect.zipRight(
            Console.error(`errata: ${error.message}`),
            exitWith(error.exitCode ?? exitCodes.failed),
          ),
    ),
    // Here a stack trace is what helps: whoever reads it can do no more than report it.
    Effect.catchAllDefect((defect) =>
      Effect.zipRight(
        Console.error(`errata: This is a fault of Errata itself. ${Cause.pretty(Cause.die(defect))}`),
        exitWith(exitCodes.failed),
      ),
    ),
  )

/**
 * The messages of a validation error in one line, e.g. `email has already been taken`. Fields are called what `names` says,
 * which are the words that the person gave them by.
 */
export const sentences = (
  error: Pick<ValidationError, "errors">,
  names: Readonly<Record<string, string>> = {},
): string =>
  Object.entries(error.errors)
    .flatMap(([field, messages]) =>
      messages.map((message) => `${Object.hasOwn(names, field) ? names[field] : field} ${message}`),
    )
    .join("; ")

// internal

const exitWith = (code: ExitCode) =>
  Effect.sync(() => {
    process.exitCode = code
  })
