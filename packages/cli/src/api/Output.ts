/** Output of commands: data on standard output, notes for people on standard error. */
import { Console, Context, Data, Effect } from "effect"

/** The reader of the output closed the pipe. Not an error, but the command ends. */
export class ReaderGone extends Data.TaggedError("ReaderGone") {}

export interface OutputService {
  readonly write: (data: string | Uint8Array) => Effect.Effect<void, ReaderGone>
  /** Columns of the terminal: 0 if unknown, null if the output is no terminal. */
  readonly width: number | null
}

/** Standard output, which tests may replace. */
export const Output = Context.Reference("@errata/cli/api/Output", {
  defaultValue: (): OutputService => standardOutput(),
})

/** Prints lines of data. */
export const print = (lines: string | ReadonlyArray<string>): Effect.Effect<void, ReaderGone> =>
  Effect.flatMap(Output, ({ write }) => write(`${typeof lines === "string" ? lines : lines.join("\n")}\n`))

/**
 * Prints a JSON document as the server sent it: dates and ids are encoded as on the wire. Indented on a terminal, on
 * one line otherwise.
 */
export const printJson = (document: unknown): Effect.Effect<void, ReaderGone> =>
  Effect.flatMap(Output, ({ width, write }) =>
    write(`${JSON.stringify(document, null, width === null ? 0 : 2)}\n`),
  )

/** Prints a note for the user that is not part of the output. */
export const note = (text: string): Effect.Effect<void> => Console.error(text)

// internal

const standardOutput = (): OutputService => {
  const { stdout } = process
  // `write` reports the failure. Without a listener, the `error` event would end the process.
  stdout.on("error", () => {})
  return {
    width: stdout.isTTY ? (stdout.columns ?? 0) : null,
    write: (data) =>
      Effect.callback((resume) => {
        stdout.write(data, (error) => resume(error ? new ReaderGone() : Effect.void))
      }),
  }
}
