/**
 * The only code that writes the outbox. It writes notes on the group and events for webhooks and alerts, in the
 * transaction of the change. Events are sent after the commit.
 */
import { type DateTime, Effect } from "effect"
import * as AutomatedNote from "../note/AutomatedNote.js"
import type { NewNote } from "../note/Note.js"
import { NoteStore } from "../note/NoteStore.js"
import type { StorageError } from "../storage/StorageError.js"
import * as Transactions from "../storage/Transactions.js"
import { isMuted } from "./Group.js"
import { type GroupEvent, outboxNameOf } from "./GroupEvent.js"
import * as GroupEventDocument from "./GroupEventDocument.js"
import { GroupEventStore, type NewGroupEvent } from "./GroupEventStore.js"
import { OutboxSignal } from "./OutboxSignal.js"

/**
 * Writes events of groups that the current transaction has locked, in this order. Runs at most one statement for
 * notes and one for the outbox.
 */
export type WriteOutbox = (
  events: ReadonlyArray<GroupEvent>,
  now: DateTime.Utc,
) => Effect.Effect<void, StorageError>

export const make: Effect.Effect<WriteOutbox, never, NoteStore | GroupEventStore> = Effect.gen(function* () {
  const notes = yield* NoteStore
  const outbox = yield* GroupEventStore
  const { raise } = yield* OutboxSignal
  return Effect.fnUntraced(function* (events, now) {
    if (events.length === 0) return
    const written: Array<NewNote> = []
    const added: Array<NewGroupEvent> = []
    const notesOn = new Map<number, number>()
    for (const event of events) {
      const { group } = event
      const note = AutomatedNote.ofEvent(event, now)
      if (note !== null) {
        written.push(note)
        notesOn.set(group.id, (notesOn.get(group.id) ?? 0) + 1)
      }
      const name = outboxNameOf(event)
      if (name === null || !GroupEventDocument.isOutboxEvent(event) || isSuppressed(event, now)) continue
      const document = GroupEventDocument.encode(withNotes(event, notesOn.get(group.id) ?? 0), now)
      added.push({ projectId: group.projectId, groupId: group.id, event: name, at: now, document })
    }
    if (written.length > 0) yield* notes.append(written)
    if (added.length === 0) return
    yield* outbox.append(added)
    yield* Transactions.afterCommit(raise)
  })
})

// internal

/** Of a muted group, only changes of its mute are written. */
const isSuppressed = (event: GroupEvent, now: DateTime.Utc): boolean =>
  event._tag !== "Muted" && event._tag !== "Unmuted" && isMuted(event.group, now)

/** The group with the notes that this batch adds, which the store counts. */
const withNotes = <E extends GroupEvent>(event: E, count: number): E =>
  count === 0
    ? event
    : {
        ...event,
        group: { ...event.group, notesCount: event.group.notesCount + count },
      }
