/** A note on a group as the API shows it. */
import type { Note } from "@errata/core"
import { Schema } from "effect"
import { described, Timestamp } from "./Json.js"
import { Text } from "./Params.js"

export const NoteView = Schema.Struct({
  id: Schema.Int,
  group_id: Schema.Int,
  content: Schema.String,
  automated: described("Whether Errata wrote it about a change of the group", Schema.Boolean),
  user: described(
    "Null for what no user of the instance did",
    Schema.NullOr(Schema.Struct({ id: Schema.Int, name: Schema.String, email_address: Schema.String })),
  ),
  created_at: Timestamp,
}).annotations({ identifier: "Note" })
export type NoteView = typeof NoteView.Type

export const NoteCreation = Schema.Struct({ content: Text }).annotations({ identifier: "NoteCreation" })
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
