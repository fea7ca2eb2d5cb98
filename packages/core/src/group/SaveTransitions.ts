import { type DateTime, Effect } from "effect"
import type { NoteStore } from "../note/NoteStore.js"
import type { StorageError } from "../storage/StorageError.js"
import type { Group } from "./Group.js"
import type { GroupEventStore } from "./GroupEventStore.js"
import * as GroupLifecycle from "./GroupLifecycle.js"
import { GroupStore } from "./GroupStore.js"
import * as Outbox from "./Outbox.js"

/** Applies a command to groups, saves the changes, writes them to the outbox, and returns how many changed. */
export type SaveTransitions = (
  groups: ReadonlyArray<Group>,
  command: (group: Group) => GroupLifecycle.Transition,
  now: DateTime.Utc,
) => Effect.Effect<number, StorageError>

/** Requires groups that the caller's transaction has locked. */
export const make: Effect.Effect<SaveTransitions, never, GroupStore | NoteStore | GroupEventStore> =
  Effect.gen(function* () {
    const store = yield* GroupStore
    const writeOutbox = yield* Outbox.make
    return Effect.fnUntraced(function* (groups, command, now) {
      const changed: Array<GroupLifecycle.Transition> = []
      for (const group of groups) {
        const transition = command(group)
        if (GroupLifecycle.changed(group, transition)) changed.push(transition)
      }
      if (changed.length > 0) yield* store.save(changed.map((transition) => transition.group))
      yield* writeOutbox(
        changed.flatMap((transition) => transition.events),
        now,
      )
      return changed.length
    })
  })
