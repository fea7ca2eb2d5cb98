/** A note on a group: what a person wrote, or what Errata wrote about a change of the group. */
import { type DateTime, Schema } from "effect"
import type { GroupId } from "../id/GroupId.js"
import type { ProjectId } from "../project/Project.js"
import type { UserId } from "../user/User.js"

/** Identifies a note: a positive integer, larger for newer ones. */
export const NoteId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("NoteId"))
export type NoteId = typeof NoteId.Type

/** UTF-16 units of what a person may write. */
export const maxContentLength = 10_000

/** A note on a group: written by a person, or by Errata about a change. */
export interface Note {
  readonly id: NoteId
  readonly projectId: ProjectId
  readonly groupId: GroupId
  readonly content: string
  /** Whether Errata wrote it; `user` is then who did what it tells of. */
  readonly automated: boolean
  /** The author as they are called now, active or not; null for what no user of Errata did. */
  readonly user: { readonly id: UserId; readonly name: string; readonly emailAddress: string } | null
  readonly createdAt: DateTime.Utc
}

/** A new note. */
export interface NewNote {
  readonly projectId: ProjectId
  readonly groupId: GroupId
  readonly userId: UserId | null
  readonly content: string
  readonly automated: boolean
  readonly createdAt: DateTime.Utc
}
