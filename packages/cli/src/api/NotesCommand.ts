/** `errata notes`: notes on groups, by users and by Errata. */
import type { NoteView } from "@errata/api"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { usageError } from "../ErrorOutput.js"
import { connectionOptions, groupArgument, idArgument, pageOptions, projectOption } from "./ApiOptions.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { relative } from "./Moments.js"
import { note } from "./Output.js"
import { inProject, show } from "./Session.js"
import { StandardInput } from "./StandardInput.js"

const columns: ReadonlyArray<ListColumn<NoteView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "BY", flexible: true, of: ({ automated, user }) => user?.name ?? (automated ? "Errata" : "") },
  { title: "NOTE", flexible: true, main: true, of: ({ content }) => content.replaceAll(/\s+/g, " ") },
  { title: "WRITTEN", of: (written, now) => relative(written.created_at, now) },
]

const list = Command.make(
  "list",
  { group: groupArgument, ...pageOptions, ...projectOption, ...connectionOptions },
  (choice) =>
    inProject(choice, ({ client, project }) =>
      listing({
        choice,
        columns,
        empty: "No notes.",
        page: (query) => client.notes.list(project, choice.group, query),
        items: ({ notes }) => notes,
        stream: (query) => client.notes.stream(project, choice.group, query),
      }),
    ),
).pipe(Command.withDescription("List the notes on a group"))

const create = Command.make(
  "create",
  {
    group: groupArgument,
    text: Argument.String("text").pipe(
      Argument.atLeast(0),
      Argument.withDescription("Text of the note. Default: standard input"),
    ),
    ...projectOption,
    ...connectionOptions,
  },
  (choice) =>
    inProject(choice, ({ client, project }) =>
      Effect.gen(function* () {
        const content = choice.text.length > 0 ? choice.text.join(" ") : yield* noteFromInput
        const written = yield* client.notes.create(project, choice.group, { content })
        if (choice.json) return yield* show(choice, written, () => [])
        yield* note(`Wrote note ${written.id} on group ${choice.group}.`)
      }),
    ),
).pipe(Command.withDescription("Write a note on a group"))

const remove = Command.make(
  "delete",
  {
    group: groupArgument,
    note: idArgument("note").pipe(Argument.withDescription("Id of the note")),
    ...projectOption,
    ...connectionOptions,
  },
  (choice) =>
    inProject(choice, ({ client, project }) =>
      Effect.gen(function* () {
        yield* client.notes.remove(project, choice.group, choice.note)
        yield* note(`Deleted note ${choice.note}.`)
      }),
    ),
).pipe(Command.withDescription("Delete a note (author or admin)"))

export const notes = Command.make("notes").pipe(
  Command.withDescription("Manage notes on groups"),
  Command.withSubcommands([list, create, remove]),
)

// internal

const noteFromInput = Effect.flatMap(StandardInput, ({ isTerminal, read }) =>
  isTerminal() ? usageError("The note is empty. Give its text.") : Effect.map(read, (text) => text.trim()),
)
