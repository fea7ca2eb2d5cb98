/** A note on a group: what a person wrote, or what Errata wrote about a change of the group. */
import { type DateTime, Schema } from "effect"
import { GroupId } from "../id/GroupId.js"
import { ProjectId } from "../project/Project.js"
import { UserId } from "../user/User.js"

export const NoteId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("NoteId"))
export type NoteId = typeof NoteId.Type

/** UTF-16 units of what a person may write. */
export const maxContentLength = 10_000

export class Note extends Schema.Class<Note>("Note")({
  id: NoteId,
  projectId: ProjectId,
  groupId: GroupId,
  content: Schema.String,
  /** Whether Errata wrote it; `user` is then who did what it tells of. */
  automated: Schema.Boolean,
  /** The author as they are called now, active or not; null for what no user of Errata did. */
  user: Schema.NullOr(Schema.Struct({ id: UserId, name: Schema.String, emailAddress: Schema.String })),
  createdAt: Schema.DateTimeUtcFromString,
}) {}

export interface NewNote {
  readonly projectId: ProjectId
  readonly groupId: GroupId
  readonly userId: UserId | null
  readonly content: string
  readonly automated: boolean
  readonly createdAt: DateTime.Utc
}
