/** `errata reports attachment`: a file that came with a report, to a file or to standard output. */
import { Args, Command, Options } from "@effect/cli"
import { FileSystem } from "@effect/platform"
import { Effect, Option } from "effect"
import { CommandFailed, exitCodes } from "../ErrorOutput.js"
import { printable } from "../Table.js"
import { connectionOptions, idArgument, projectOption } from "./ApiOptions.js"
import { note, Output } from "./Output.js"
import { findReport, reportArgument, reportOptions } from "./ReportReference.js"
import { connected } from "./Session.js"

const { json: _, ...bytesOptions } = connectionOptions

export const attachment = Command.make(
  "attachment",
  {
    report: reportArgument.pipe(
      Args.withDescription("The id of the report's event; or its own id, with --group"),
    ),
    attachment: idArgument("attachment").pipe(
      Args.withDescription("The id of the attachment; errata reports get lists them"),
    ),
    output: Options.text("output").pipe(
      Options.withAlias("o"),
      Options.optional,
      Options.withDescription("The file to write to; - for standard output, also where that is a terminal"),
    ),
    remoteName: Options.boolean("remote-name").pipe(
      Options.withAlias("n"),
      Options.withDescription("Write to a file of the attachment's own name in the current folder"),
    ),
    force: Options.boolean("force").pipe(
      Options.withAlias("f"),
      Options.withDescription("Replace a file that is there already"),
    ),
    ...reportOptions,
    ...projectOption,
    ...bytesOptions,
  },
  (choice) =>
    connected({ ...choice, json: false }, ({ client, projectId }) =>
      Effect.gen(function* () {
        if (choice.remoteName && Option.isSome(choice.output)) {
          return yield* new CommandFailed({
            message: "The file is named by --output or by --remote-name: give one of them.",
            exitCode: exitCodes.usage,
          })
        }
        const project = yield* projectId(choice.project)
        const report = yield* findReport(client, project, choice.group, Option.some(choice.report))
        const found = report.attachments.find(({ id }) => id === choice.attachment)
        if (found === undefined) {
          return yield* new CommandFailed({
            message: `Not found: report ${report.id} has no attachment ${choice.attachment}`,
            exitCode: exitCodes.notFound,
          })
        }
        const bytes = yield* client.reports.getAttachment(project, report.group_id, report.id, found.id)
        if (choice.remoteName) {
          const { safeFileName } = yield* Effect.promise(() => import("@errata/core"))
          const path = safeFileName(found.filename, `attachment-${found.id}`)
          return yield* save(path, bytes, choice.force)
        }
        const path = Option.getOrElse(choice.output, () => "")
        if (path !== "" && path !== "-") return yield* save(path, bytes, choice.force)
        const { width, write } = yield* Output
        if (width !== null && path !== "-" && !isText(bytes)) {
          return yield* new CommandFailed({
            message:
              "The attachment is not plain text and could upset the terminal. Write it to a file (--output or --remote-name), or here all the same (--output -).",
            exitCode: exitCodes.usage,
          })
        }
        yield* write(bytes)
      }),
    ),
).pipe(Command.withDescription("Download an attachment of a report"))

// internal

/** A file that is there already is left alone, whoever put it there and however late. */
const save = (path: string, bytes: Uint8Array, force: boolean) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    yield* fs.writeFile(path, bytes, { flag: force ? "w" : "wx" }).pipe(
      Effect.mapError(
        (error) =>
          new CommandFailed({
            message:
              error._tag === "SystemError" && error.reason === "AlreadyExists"
                ? `${printable(path)} is there already. Give another --output, or --force to replace it.`
                : `${printable(path)} cannot be written: ${printable(error.message)}`,
          }),
      ),
    )
    yield* note(`Saved ${bytes.length} bytes to ${printable(path)}.`)
  })

/** Whether a terminal shows it as it is: UTF-8 without control characters but tabs and ends of lines. */
const isText = (bytes: Uint8Array): boolean => {
  const text = Buffer.from(bytes).toString("utf8")
  const lines = text.replaceAll(/[\t\n]|\r\n/g, "")
  return Buffer.byteLength(text) === bytes.length && !text.includes("\uFFFD") && printable(lines) === lines
}
