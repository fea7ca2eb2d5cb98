/** A note on a group as the API shows it. */
import type { Note } from "@errata/core"
import { Schema } from "effect"
import { at, described, Timestamp } from "./Json.js"
import { Text } from "./Params.js"

export const NoteView = Schema.Struct({
  id: described("The note's id", Schema.Int),
  group_id: described("The group that it is on", Schema.Int),
  content: described("The text", Schema.String),
  automated: described("Whether Errata wrote it about a change of the group", Schema.Boolean),
  user: described(
    "Who wrote it, or made the change; null for what no user of the instance did",
    Schema.NullOr(
      Schema.Struct({
        id: described("The user's id", Schema.Int),
        name: described("What the user is called", Schema.String),
        email_address: described("The user's e-mail address", Schema.String),
      }),
    ),
  ),
  created_at: described("When it was written", Timestamp),
}).annotations({
  identifier: "Note",
  examples: [
    {
      id: 7,
      group_id: 42,
      content: "Carts without items; fixed in 1.4.1",
      automated: false,
      user: { id: 3, name: "Operator", email_address: "operator@example.com" },
      created_at: at("2026-01-05T09:45:00.000Z"),
    },
  ],
})
export type NoteView = typeof NoteView.Type

export const NoteCreation = Schema.Struct({
  content: described("The text; not empty", Text),
}).annotations({ identifier: "NoteCreation", examples: [{ content: "Carts without items; fixed in 1.4.1" }] })
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
