import { Context, type DateTime, type Effect, type Option } from "effect"
import type { GroupId } from "../id/GroupId.js"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { NewNote, Note, NoteId } from "./Note.js"

/** The project and group of a note. */
export interface NotePlace {
  readonly projectId: ProjectId
  readonly groupId: GroupId
}

/** A note in the list of a project. */
export interface RecentNote {
  /** The group that lists the note. */
  readonly groupId: GroupId
  readonly content: string
  readonly automated: boolean
  readonly createdAt: DateTime.Utc
}

/** Stores the notes on groups and counts them per group. Notes of merged groups belong to their root. */
export class NoteStore extends Context.Service<
  NoteStore,
  {
    /**
     * Adds notes and counts them on their groups, or on the roots of merged groups. The caller's transaction must
     * have locked these groups. Otherwise a merge could miss notes, or transactions could deadlock.
     */
    readonly append: (notes: ReadonlyArray<NewNote>) => Effect.Effect<void, StorageError>

    /** Adds and counts one note. Returns it as stored. */
    readonly insert: (note: NewNote) => Effect.Effect<Note, StorageError>

    /** Notes on a group and the groups merged into it, newest first. */
    readonly list: (
      projectId: ProjectId,
      groupId: GroupId,
      page: PageRequest,
    ) => Effect.Effect<Page<Note>, StorageError>

    /** Notes on all groups of a project since a time, newest first, at most `limit`. */
    readonly recent: (
      projectId: ProjectId,
      since: DateTime.Utc,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<RecentNote>, StorageError>

    readonly find: (
      projectId: ProjectId,
      groupId: GroupId,
      id: NoteId,
    ) => Effect.Effect<Option.Option<Note>, StorageError>

    /** The project of a note and the group that lists it; see `GroupStore.locate`. */
    readonly place: (
      id: NoteId,
      projectIds: ReadonlyArray<number> | null,
    ) => Effect.Effect<Option.Option<NotePlace>, StorageError>

    /** Deletes a note and updates the count once, even if called concurrently. Returns whether it existed. */
    readonly remove: (
      projectId: ProjectId,
      groupId: GroupId,
      id: NoteId,
    ) => Effect.Effect<boolean, StorageError>
  }
>()("@errata/core/note/NoteStore") {}
