/** Reports a failed command: one line for people, and an exit status for scripts. */
import type { ValidationError } from "@errata/core"
import { Cause, Console, Data, Effect } from "effect"
import { CliError } from "effect/cli"

/** Exit statuses. */
export const exitCodes = {
  /** An unexpected failure, or one without a status of its own. */
  failed: 1,
  /** The command line is invalid. No request was sent. */
  usage: 2,
  /** The API key is missing, invalid or lacks permission. */
  denied: 3,
  notFound: 4,
  /** The server rejected the input. */
  invalid: 5,
  /** The server is unreachable or asks to retry later. */
  unavailable: 6,
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** An expected failure of a command. The message is for the user who ran it. */
export class CommandFailed extends Data.TaggedError("CommandFailed")<{
  readonly message: string
  readonly exitCode?: ExitCode
}> {}

/** The failure of an invalid option, variable or setting. */
export const usageError = (message: string) => new CommandFailed({ message, exitCode: exitCodes.usage })

/** The failure of a command about a thing that does not exist, or that the caller cannot see. */
export const notFound = (what: string) =>
  new CommandFailed({ message: `Not found: ${what}`, exitCode: exitCodes.notFound })

/** Turns expected failures of a command into one line on standard error and an exit status. */
export const reportFailures = <E extends { readonly message: string; readonly exitCode?: ExitCode }, R>(
  effect: Effect.Effect<void, E | CliError.CliError, R>,
): Effect.Effect<void, never, R> =>
  effect.pipe(
    Effect.catch((error) =>
      // Help and errors of the command line are printed already. See `CommandLine.ts`.
      CliError.isCliError(error) && error._tag === "ShowHelp"
        ? error.errors.length === 0
          ? Effect.void
          : exitWith(exitCodes.usage)
        : Effect.andThen(
            Console.error(`errata: ${error.message}`),
            exitWith(("exitCode" in error ? error.exitCode : undefined) ?? exitCodes.failed),
          ),
    ),
    // The stack trace helps to report the bug.
    Effect.catchDefect((defect) =>
      Effect.andThen(
        Console.error(
          `errata: This is a bug in Errata. Please report it. ${Cause.pretty(Cause.die(defect))}`,
        ),
        exitWith(exitCodes.failed),
      ),
    ),
  )

/**
 * Formats the messages of a validation error in one line, e.g. `email has already been taken`. `names` maps fields to
 * the names that the user knows.
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

/** Returns the text with API keys masked. */
export const withoutKeys = (text: string): string => text.replaceAll(/errata_\w{8,}/g, "errata_…")

// internal

const exitWith = (code: ExitCode) =>
  Effect.sync(() => {
    process.exitCode = code
  })
