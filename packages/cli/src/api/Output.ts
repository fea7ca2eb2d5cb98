/** What commands answer: data on standard output, notes for people on standard error. */
import { Console, Context, Data, Effect } from "effect"

/** Whoever read the output has gone: no error, but no reason to go on either. */
export class ReaderGone extends Data.TaggedError("ReaderGone") {}

export interface OutputService {
  readonly write: (data: string | Uint8Array) => Effect.Effect<void, ReaderGone>
  /** The columns of the terminal; 0 if it does not know them, null if the output is no terminal. */
  readonly width: number | null
}

/** Standard output, which tests may replace. */
export const Output = Context.Reference("@errata/cli/api/Output", {
  defaultValue: (): OutputService => standardOutput(),
})

/** Lines of data. */
export const print = (lines: string | ReadonlyArray<string>): Effect.Effect<void, ReaderGone> =>
  Effect.flatMap(Output, ({ write }) => write(`${typeof lines === "string" ? lines : lines.join("\n")}\n`))

/**
 * A JSON document: what the server sent, since dates and ids become what they were on the wire. In lines where a
 * person reads it, in one line for programs.
 */
export const printJson = (document: unknown): Effect.Effect<void, ReaderGone> =>
  Effect.flatMap(Output, ({ width, write }) =>
    write(`${JSON.stringify(document, null, width === null ? 0 : 2)}\n`),
  )

/** Something that whoever started the command wants to know, and that is not the answer. */
export const note = (text: string): Effect.Effect<void> => Console.error(text)

// internal

const standardOutput = (): OutputService => {
  const { stdout } = process
  // The failure is the write's; without a listener it would end the process as an uncaught one.
  stdout.on("error", () => {})
  return {
    width: stdout.isTTY ? (stdout.columns ?? 0) : null,
    write: (data) =>
      Effect.callback((resume) => {
        stdout.write(data, (error) => resume(error ? new ReaderGone() : Effect.void))
      }),
  }
}
