import { Context, type DateTime, type Effect, type Option } from "effect"
import type { GroupId } from "../id/GroupId.js"
import type { ProjectId } from "../project/Project.js"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { NewNote, Note, NoteId } from "./Note.js"

/** Where a note is found. */
export interface NotePlace {
  readonly projectId: ProjectId
  readonly groupId: GroupId
}

/** A note in the list of a project. */
export interface RecentNote {
  /** The group that it reads as one on. */
  readonly groupId: GroupId
  readonly content: string
  readonly automated: boolean
  readonly createdAt: DateTime.Utc
}

/** Keeps the notes on groups, and their number on each group. The notes of merged groups read as their root's. */
export class NoteStore extends Context.Service<
  NoteStore,
  {
    /**
     * Adds notes and counts them on their groups, or on the roots of those that are merged, which the caller's
     * transaction has locked: else a merge could miss them, or two transactions wait for each other.
     */
    readonly append: (notes: ReadonlyArray<NewNote>) => Effect.Effect<void, StorageError>

    /** Adds one note and counts it; answers it as it reads from now on. */
    readonly insert: (note: NewNote) => Effect.Effect<Note, StorageError>

    /** Notes on a group and on those that it stands for, newest first. */
    readonly list: (
      projectId: ProjectId,
      groupId: GroupId,
      page: PageRequest,
    ) => Effect.Effect<Page<Note>, StorageError>

    /** Notes of all groups of a project that were written since a time, newest first, at most `limit`. */
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

    /** The project of a note, and the group that it reads as one on; see `GroupStore.locate`. */
    readonly place: (
      id: NoteId,
      projectIds: ReadonlyArray<number> | null,
    ) => Effect.Effect<Option.Option<NotePlace>, StorageError>

    /** Removes a note and counts it off its group, once however many ask for it; answers whether it was there. */
    readonly remove: (
      projectId: ProjectId,
      groupId: GroupId,
      id: NoteId,
    ) => Effect.Effect<boolean, StorageError>
  }
>()("@errata/core/note/NoteStore") {}
