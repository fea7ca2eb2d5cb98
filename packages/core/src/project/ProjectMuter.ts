/**
 * Applies the mutes of projects to existing groups. Progress is stored with the mute, so that any node can continue:
 * first the call that muted, then background work.
 */
import { Data, DateTime, Effect, Option } from "effect"
import type { Job } from "../background/Job.js"
import * as GroupLifecycle from "../group/GroupLifecycle.js"
import { GroupStore } from "../group/GroupStore.js"
import * as SaveTransitions from "../group/SaveTransitions.js"
import * as Transactions from "../storage/Transactions.js"
import { activeMute, type ProjectId } from "./Project.js"
import { ProjectStore, type UnfinishedMute } from "./ProjectStore.js"

/** Applies a project's mute to all groups, or stops when the mute is cleared. */
export const make = Effect.gen(function* () {
  const transaction = yield* Transactions.make
  const projects = yield* ProjectStore
  const groups = yield* GroupStore
  const save = yield* SaveTransitions.make

  // In short transactions, because a project can have very many groups, which keep receiving reports.
  const muteNext = (unfinished: UnfinishedMute) =>
    Effect.gen(function* () {
      const { after, last, mute, projectId } = unfinished
      const now = yield* DateTime.now
      const isOver = activeMute(mute, now) === null
      const locked = isOver ? [] : yield* groups.lockNext(projectId, after, batchSize)
      // Newer groups inherited the mute when they were created, and may have been unmuted since.
      const older = locked.filter((group) => group.id <= last)
      yield* save(older, (group) => GroupLifecycle.inheritMute(group, mute, now), now)
      const reached = older.length === batchSize ? older.at(-1)!.id : last
      if (!(yield* projects.advanceMute(unfinished, reached))) return yield* new MuteChanged()
    }).pipe(
      transaction,
      Effect.catchTag("MuteChanged", () => Effect.void),
    )

  return Effect.fn("ProjectMuter.muteGroups")(function* (projectId: ProjectId) {
    while (true) {
      // Read again each time: the mute may be replaced or cleared, or another node may apply it too.
      const unfinished = yield* projects.findUnfinishedMute(projectId)
      if (Option.isNone(unfinished)) return
      yield* muteNext(unfinished.value)
    }
  })
})

/** Applies all unfinished mutes, and clears expired ones. Mutes of groups expire on their own. */
export const finish = Effect.gen(function* () {
  const muteGroups = yield* make
  const projects = yield* ProjectStore
  yield* Effect.forEach(yield* projects.unfinishedMutes, muteGroups, { discard: true })
  yield* projects.endMutes(yield* DateTime.now)
}).pipe(Effect.withSpan("ProjectMuter.finish"))

export const job: Job<Effect.Services<typeof finish>> = {
  name: "mute-projects",
  run: finish,
}

// internal

const batchSize = 500

/** Another transaction changed or advanced the mute. This one must be rolled back. */
class MuteChanged extends Data.TaggedError("MuteChanged") {}
