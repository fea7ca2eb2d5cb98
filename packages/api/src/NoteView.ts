/** A note on a group as the API shows it. */
import type { Note } from "@errata/core"
import { Schema } from "effect"
import { flag, int, text, time } from "./Fields.js"
import { described, named } from "./Json.js"
import { Text } from "./Params.js"

/** A note on a group, as REST shows it. */
export const NoteView = Schema.Struct({
  id: int("Id of the note"),
  group_id: int("Id of the group"),
  content: text("Text of the note"),
  automated: flag("True if Errata wrote the note about a change of the group"),
  user: described(
    "User who wrote the note or changed the group, or null",
    Schema.NullOr(
      Schema.Struct({
        id: int("Id of the user"),
        name: text("Name of the user"),
        email_address: text("Email address of the user"),
      }),
    ),
  ),
  created_at: time("Time of creation"),
}).pipe(
  named("Note", {
    id: 7,
    group_id: 42,
    content: "Carts without items; fixed in 1.4.1",
    automated: false,
    user: { id: 3, name: "Operator", email_address: "operator@example.com" },
    created_at: "2026-01-05T09:45:00.000Z",
  }),
)
export type NoteView = typeof NoteView.Type

/** The input for a new note. */
export const NoteCreation = Schema.Struct({
  content: described("Text of the note. Must not be empty", Text),
}).pipe(named("NoteCreation", { content: "Carts without items; fixed in 1.4.1" }))
export type NoteCreation = typeof NoteCreation.Type

export const noteView = (note: Note): NoteView => ({
  id: note.id,
  group_id: note.groupId,
  content: note.content,
  automated: note.automated,
  user:
    note.user === null
      ? null
      : { id: note.user.id, name: note.user.name, email_address: note.user.emailAddress },
  created_at: note.createdAt,
})
