/**
 * Hands the mutes of projects on to the groups that were there before. How far one has come is stored with it, so that
 * whoever finds it unfinished goes on: the call that muted, or the background work of any node after that call's end.
 */
import { Data, DateTime, Effect } from "effect"
import type { Job } from "../background/Job.js"
import * as GroupLifecycle from "../group/GroupLifecycle.js"
import { GroupStore } from "../group/GroupStore.js"
import * as SaveTransitions from "../group/SaveTransitions.js"
import * as Transactions from "../storage/Transactions.js"
import { activeMute, type ProjectId } from "./Project.js"
import { ProjectStore, type UnfinishedMute } from "./ProjectStore.js"

/** Goes on with the mute of a project to its end, or until there is none. */
export const make = Effect.gen(function* () {
  const transaction = yield* Transactions.make
  const projects = yield* ProjectStore
  const groups = yield* GroupStore
  const save = yield* SaveTransitions.make

  // In transactions of their own, each short: a project may have very many groups, and they keep receiving reports.
  const handOnSome = (unfinished: UnfinishedMute) =>
    Effect.gen(function* () {
      const { after, last, mute, projectId } = unfinished
      const now = yield* DateTime.now
      const isOver = activeMute(mute, now) === null
      const locked = isOver ? [] : yield* groups.lockNext(projectId, after, batchSize)
      // Younger groups had the mute from their beginning, and may have been unmuted since.
      const older = locked.filter((group) => group.id <= last)
      yield* save(older, (group) => GroupLifecycle.inheritMute(group, mute, now), now)
      const reached = older.length === batchSize ? older.at(-1)!.id : last
      if (!(yield* projects.advanceMute(unfinished, reached))) return yield* new MuteChanged()
    }).pipe(
      transaction,
      Effect.catchTag("MuteChanged", () => Effect.void),
    )

  return Effect.fn("ProjectMuter.handOn")(function* (projectId: ProjectId) {
    while (true) {
      // Anew each time: it may have been replaced or cleared, or another node is at it, too.
      const unfinished = yield* projects.findUnfinishedMute(projectId)
      if (unfinished._tag === "None") return
      yield* handOnSome(unfinished.value)
    }
  })
})

/** Goes on with what is unfinished now, and clears what has run out: that of the groups is cleared by themselves. */
export const finish = Effect.gen(function* () {
  const handOn = yield* make
  const projects = yield* ProjectStore
  yield* Effect.forEach(yield* projects.unfinishedMutes, handOn, { discard: true })
  yield* projects.endMutes(yield* DateTime.now)
}).pipe(Effect.withSpan("ProjectMuter.finish"))

export const job: Job<Effect.Services<typeof finish>> = {
  name: "mute-projects",
  interval: ({ backgroundInterval }) => backgroundInterval,
  run: finish,
}

// internal

const batchSize = 500

/** Somebody else has changed the mute, or handed it on so far: this attempt must leave no trace. */
class MuteChanged extends Data.TaggedError("MuteChanged") {}
