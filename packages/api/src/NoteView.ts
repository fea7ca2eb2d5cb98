/** A note on a group as the API shows it. */
import type { Note } from "@errata/core"
import { Schema } from "effect"
import { described, named, Timestamp } from "./Json.js"
import { Text } from "./Params.js"

/** A note on a group, as REST shows it. */
export const NoteView = Schema.Struct({
  id: described("Id of the note", Schema.Int),
  group_id: described("Id of the group", Schema.Int),
  content: described("Text of the note", Schema.String),
  automated: described("True if Errata wrote the note about a change of the group", Schema.Boolean),
  user: described(
    "User who wrote the note or changed the group, or null",
    Schema.NullOr(
      Schema.Struct({
        id: described("Id of the user", Schema.Int),
        name: described("Name of the user", Schema.String),
        email_address: described("Email address of the user", Schema.String),
      }),
    ),
  ),
  created_at: described("Time of creation", Timestamp),
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
