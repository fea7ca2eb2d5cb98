/** `errata notes`: notes on groups, by users and by Errata. */
import type { NoteView } from "@errata/api"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { usageError } from "../ErrorOutput.js"
import { projectCommand } from "./ApiCommand.js"
import { groupArgument, idArgument, pageOptions } from "./ApiOptions.js"
import { type ListColumn, list as listing } from "./Listing.js"
import { relative } from "./Moments.js"
import { note, printJson } from "./Output.js"
import { StandardInput } from "./StandardInput.js"

const columns: ReadonlyArray<ListColumn<NoteView>> = [
  { title: "ID", align: "right", of: ({ id }) => String(id) },
  { title: "BY", flexible: true, of: ({ automated, user }) => user?.name ?? (automated ? "Errata" : "") },
  { title: "NOTE", flexible: true, main: true, of: ({ content }) => content.replaceAll(/\s+/g, " ") },
  { title: "WRITTEN", of: (written, now) => relative(written.created_at, now) },
]

const list = projectCommand(
  "list",
  "List the notes on a group",
  { group: groupArgument, ...pageOptions },
  function* (choice, { client, project }) {
    yield* listing({
      choice,
      columns,
      empty: "No notes.",
      page: (query) => client.notes.list(project, choice.group, query),
      items: ({ notes }) => notes,
      stream: (query) => client.notes.stream(project, choice.group, query),
    })
  },
)

const create = projectCommand(
  "create",
  "Write a note on a group",
  {
    group: groupArgument,
    text: Argument.String("text").pipe(
      Argument.atLeast(0),
      Argument.withDescription("Text of the note. Default: standard input"),
    ),
  },
  function* (choice, { client, project }) {
    const content = choice.text.length > 0 ? choice.text.join(" ") : yield* noteFromInput
    const written = yield* client.notes.create(project, choice.group, { content })
    if (choice.json) return yield* printJson(written)
    yield* note(`Wrote note ${written.id} on group ${choice.group}.`)
  },
)

const remove = projectCommand(
  "delete",
  "Delete a note (author or admin)",
  { group: groupArgument, note: idArgument("note", "Id of the note") },
  function* (choice, { client, project }) {
    yield* client.notes.remove(project, choice.group, choice.note)
    yield* note(`Deleted note ${choice.note}.`)
  },
)

export const notes = Command.make("notes").pipe(
  Command.withDescription("Manage notes on groups"),
  Command.withSubcommands([list, create, remove]),
)

// internal

const noteFromInput = Effect.flatMap(StandardInput, ({ isTerminal, read }) =>
  isTerminal() ? usageError("The note is empty. Give its text.") : Effect.map(read, (text) => text.trim()),
)
