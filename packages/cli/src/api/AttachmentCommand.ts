/** `errata reports attachment`: writes an attachment to a file or to standard output. */
import { Effect, FileSystem, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed, notFound, usageError } from "../ErrorOutput.js"
import { printable } from "../Table.js"
import { toggle } from "../Toggle.js"
import { connectionOptions, idArgument, projectOption } from "./ApiOptions.js"
import { note, Output } from "./Output.js"
import { findReport, reportArgument, reportOptions } from "./ReportReference.js"
import { connected } from "./Session.js"

const { json: _, ...bytesOptions } = connectionOptions

export const attachment = Command.make(
  "attachment",
  {
    report: reportArgument.pipe(
      Argument.withDescription("Event id of the report, or the report id with --group"),
    ),
    attachment: idArgument("attachment", "Id of the attachment, as errata reports get lists it"),
    output: Flag.String("output").pipe(
      Flag.withAlias("o"),
      Flag.optional,
      Flag.withDescription("File to write to. - writes to standard output, even if it is a terminal"),
    ),
    remoteName: toggle(
      "remote-name",
      "Write to a file in the current directory with the name of the attachment",
    ).pipe(Flag.withAlias("n")),
    force: toggle("force", "Replace an existing file").pipe(Flag.withAlias("f")),
    ...reportOptions,
    ...projectOption,
    ...bytesOptions,
  },
  (choice) =>
    connected({ ...choice, json: false }, ({ client, projectId }) =>
      Effect.gen(function* () {
        if (choice.remoteName && Option.isSome(choice.output)) {
          return yield* usageError("--output and --remote-name both name the file. Give only one of them.")
        }
        const project = yield* projectId(choice.project)
        const report = yield* findReport(client, project, choice.group, Option.some(choice.report))
        const found = report.attachments.find(({ id }) => id === choice.attachment)
        if (found === undefined) {
          return yield* notFound(`report ${report.id} has no attachment ${choice.attachment}`)
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
          return yield* usageError(
            "The attachment is not plain text. Write it to a file with --output or --remote-name, or to the terminal with --output -",
          )
        }
        yield* write(bytes)
      }),
    ),
).pipe(Command.withDescription("Download an attachment of a report"))

// internal

/** Writes the file. An existing file is not replaced, even if it was created meanwhile. */
const save = (path: string, bytes: Uint8Array, force: boolean) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    yield* fs.writeFile(path, bytes, { flag: force ? "w" : "wx" }).pipe(
      Effect.mapError(
        (error) =>
          new CommandFailed({
            message:
              error.reason._tag === "AlreadyExists"
                ? `${printable(path)} already exists. Give another --output, or --force to replace it.`
                : `${printable(path)} cannot be written: ${printable(error.message)}`,
          }),
      ),
    )
    yield* note(`Saved ${bytes.length} bytes to ${printable(path)}.`)
  })

/** True if a terminal can show the bytes: UTF-8 without control characters except tabs and line breaks. */
const isText = (bytes: Uint8Array): boolean => {
  const text = Buffer.from(bytes).toString("utf8")
  const lines = text.replaceAll(/[\t\n]|\r\n/g, "")
  return Buffer.byteLength(text) === bytes.length && !text.includes("\uFFFD") && printable(lines) === lines
}
