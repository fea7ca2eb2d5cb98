import { type DateTime, Schema } from "effect"
import type { GroupId } from "../group/Group.js"
import type { ProjectId } from "../project/Project.js"
import type { UserId } from "../user/User.js"

export const NoteId = Schema.Int.pipe(Schema.positive(), Schema.brand("NoteId"))
export type NoteId = typeof NoteId.Type

/** A note on a group: what a person wrote, or what Errata wrote about a change of the group. */
export interface NewNote {
  readonly projectId: ProjectId
  readonly groupId: GroupId
  /** The author; null for what no user of Errata did. */
  readonly userId: UserId | null
  readonly content: string
  readonly automated: boolean
  readonly createdAt: DateTime.Utc
}
