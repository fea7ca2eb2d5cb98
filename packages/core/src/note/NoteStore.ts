import { Context, type Effect } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import type { NewNote } from "./Note.js"

/** Keeps the notes on groups. */
export class NoteStore extends Context.Tag("@errata/core/note/NoteStore")<
  NoteStore,
  {
    /** Adds notes and counts them on their groups. */
    readonly append: (notes: ReadonlyArray<NewNote>) => Effect.Effect<void, StorageError>
  }
>() {}
