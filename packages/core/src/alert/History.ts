/** Past changes of groups, read from the notes that Errata wrote about them: for dry runs and digests. */
import type { DateTime } from "effect"
import { Effect } from "effect"
import type { GroupId } from "../id/GroupId.js"
import * as AutomatedNote from "../note/AutomatedNote.js"
import { NoteStore } from "../note/NoteStore.js"
import type { ProjectId } from "../project/Project.js"
import type { AlertTrigger } from "./AlertRule.js"

/** A change of a group. */
export interface PastChange {
  readonly groupId: GroupId
  readonly type: Extract<AlertTrigger["type"], "reopened" | "assigned" | "noted">
  readonly at: DateTime.Utc
}

/** The changes since a time that have notes, newest first, at most `limit`. Notes that people removed are missing. */
export const changes = Effect.fnUntraced(function* (
  projectId: ProjectId,
  since: DateTime.Utc,
  limit: number,
) {
  const notes = yield* NoteStore
  const recent = yield* notes.recent(projectId, since, limit)
  return recent.flatMap(({ automated, content, createdAt, groupId }): ReadonlyArray<PastChange> => {
    const type = automated ? AutomatedNote.changeOf(content) : "noted"
    return type === null ? [] : [{ groupId, type, at: createdAt }]
  })
})
