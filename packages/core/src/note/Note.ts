/** Notes on groups. */
import { type DateTime, Schema } from "effect"
import type { GroupId } from "../id/GroupId.js"
import type { ProjectId } from "../project/Project.js"
import type { UserId } from "../user/User.js"

/** Identifies a note: a positive integer, larger for newer ones. */
export const NoteId = Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0)), Schema.brand("NoteId"))
export type NoteId = typeof NoteId.Type

/** Maximum length of a user's note, in UTF-16 units. */
export const maxContentLength = 10_000

/** A note on a group, written by a user, or by Errata about a change. */
export interface Note {
  readonly id: NoteId
  readonly projectId: ProjectId
  readonly groupId: GroupId
  readonly content: string
  /** True if Errata wrote it. Then `user` is the author of the change. */
  readonly automated: boolean
  /** The author with their current name, even if inactive. Null if no user of Errata caused the note. */
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
