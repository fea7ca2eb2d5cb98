/** The recorder with groups that are resolved in a release or muted until the next one. */

import { type Group, type GroupId, nextRelease, type ProjectId } from "@errata/core"
import { Recorder, RecorderWorker } from "@errata/core/internal"
import { GroupLifecycle, GroupStore, NoteStore, ReleaseStore } from "@errata/core/ports"
import { DateTime, Effect, Layer } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Given from "./Given.js"
import { append, given, groupsOf, onlyGroupOf, record, recordAll } from "./internal/Pipeline.js"
import * as TestDecoder from "./TestDecoder.js"

/** A factory of payloads of a release that are received now. */
const sending = Effect.map(given, ({ project, send }) => ({
  project,
  send: (release: string, event: TestDecoder.TestEvent = {}) =>
    Effect.map(DateTime.now, ({ epochMilliseconds: receivedAt }) =>
      send({ ...event, release }, { receivedAt }),
    ),
}))

const save = (group: Group) => Effect.flatMap(GroupStore, (groups) => groups.save([group]))

const resolve = (group: Group, inRelease: string) =>
  Effect.flatMap(DateTime.now, (now) => save(GroupLifecycle.resolve(group, null, now, inRelease).group))

const muteUntilNext = (group: Group) =>
  Effect.flatMap(DateTime.now, (now) =>
    save(GroupLifecycle.mute(group, GroupLifecycle.MuteRequest.UntilNextRelease(), null, now).group),
  )

/** Automated notes on a group, oldest first. */
const notesOn = Effect.fnUntraced(function* (projectId: ProjectId, groupId: GroupId) {
  const { items } = yield* (yield* NoteStore).list(projectId, groupId, { limit: 100, cursor: null })
  return items.map(({ content }) => content).reverse()
})

const second = advance("1 second")

export const recorderReleasesSuite: ContractSuite = {
  name: "Recorder by releases",
  cases: [
    contractCase(
      "reopens a group that is resolved in the next release by a release that is first seen later",
      Effect.gen(function* () {
        const { project, send } = yield* sending
        yield* record(yield* send("old"))
        const group = yield* onlyGroupOf(project.id)
        yield* record(yield* send("elsewhere", { group: "other" }))
        yield* second
        yield* resolve(group, nextRelease)
        const resolution = { at: yield* DateTime.now, by: null, inRelease: nextRelease }
        yield* second
        yield* record(yield* send("old"), yield* send(""), yield* send("elsewhere"))
        yield* onSecondNode(Effect.flatMap(send("old"), (payload) => record(payload)))
        const groups = yield* GroupStore
        const current = Effect.flatMap(groups.find(project.id, group.id), Effect.fromOption)
        expect(yield* current).toMatchObject({ resolution, notesCount: 0 })
        // Reports of other groups also make the release known.
        yield* record(yield* send("new", { group: "other" }))
        yield* second
        yield* onSecondNode(Effect.flatMap(send("new"), (payload) => record(payload)))
        expect(yield* current).toMatchObject({ resolution: null, notesCount: 1 })
        expect(yield* notesOn(project.id, group.id)).toEqual(["Reopened by a new report in release new"])
      }),
    ),

    contractCase(
      "compares versions, or the times they were first seen if they have no order",
      Effect.gen(function* () {
        const { project, send } = yield* sending
        yield* record(yield* send("shop@1.0.0"))
        const isOpenAfter = Effect.fnUntraced(function* (inRelease: string, release: string) {
          yield* resolve(yield* onlyGroupOf(project.id), inRelease)
          yield* second
          yield* record(yield* send(release))
          const isOpen = (yield* onlyGroupOf(project.id)).resolution === null
          yield* save({ ...(yield* onlyGroupOf(project.id)), resolution: null })
          return isOpen
        })
        expect(yield* isOpenAfter("shop@1.2.0", "shop@1.1.9")).toBe(false)
        expect(yield* isOpenAfter("shop@1.2.0", "api@7.0.0")).toBe(false)
        expect(yield* isOpenAfter("shop@1.2.0", "shop@1.10.0")).toBe(true)
        expect(yield* isOpenAfter("shop@b", "shop@a")).toBe(false)
        expect(yield* isOpenAfter("shop@b", "shop@b")).toBe(true)
        expect(yield* isOpenAfter("shop@b", "shop@a")).toBe(false)
        expect(yield* isOpenAfter("shop@b", "shop@c")).toBe(true)
      }),
    ),

    contractCase(
      "uses the receipt times of reports if one batch has several releases",
      Effect.gen(function* () {
        const { project, send } = yield* sending
        yield* record(yield* send("first"), yield* send("first", { group: "late" }))
        yield* second
        for (const group of yield* groupsOf(project.id)) yield* resolve(group, "fix")
        yield* second
        const before = yield* send("before")
        yield* second
        const fix = yield* send("fix", { group: "other" })
        yield* second
        const after = yield* send("after", { group: "late" })
        yield* record(after, fix, before)
        const states = (yield* groupsOf(project.id)).map(({ resolution }) => resolution?.inRelease ?? null)
        expect(states.sort()).toEqual(["fix", null, null])
      }),
    ),

    contractCase(
      "ends a mute until the next release, and notes the release",
      Effect.gen(function* () {
        const { project, send } = yield* sending
        yield* record(yield* send("1.0"))
        yield* second
        yield* muteUntilNext(yield* onlyGroupOf(project.id))
        yield* second
        yield* record(yield* send("1.0"), yield* send(""))
        const muted = yield* onlyGroupOf(project.id)
        expect(muted).toMatchObject({ mute: { condition: { _tag: "UntilNextRelease" } }, notesCount: 0 })
        yield* record(yield* send("1.1"))
        const { id, mute } = yield* onlyGroupOf(project.id)
        expect(mute).toBeNull()
        expect(yield* notesOn(project.id, id)).toEqual(["Unmuted: a report of release 1.1 arrived"])
      }),
    ),

    contractCase(
      "uses the root's release for merged groups, and restores the source's on unmerge",
      Effect.gen(function* () {
        const { project, send } = yield* sending
        yield* record(yield* send("1.0", { group: "a" }))
        yield* record(yield* send("1.0", { group: "b" }))
        const [b, a] = yield* groupsOf(project.id)
        yield* second
        yield* resolve(a!, "2.0")
        yield* resolve(b!, nextRelease)
        const groups = yield* GroupStore
        const locked = yield* Effect.forEach([a!, b!], ({ id }) =>
          Effect.flatMap(groups.find(project.id, id), Effect.fromOption),
        )
        yield* Given.merge(locked[0]!, locked[1]!)
        yield* second
        yield* record(yield* send("1.5", { group: "b" }))
        expect(yield* onlyGroupOf(project.id)).toMatchObject({ resolution: { inRelease: "2.0" } })
        const source = yield* Effect.flatMap(groups.find(project.id, b!.id), Effect.fromOption)
        expect(source.resolution).toMatchObject({ inRelease: nextRelease })
        yield* record(yield* send("2.1", { group: "b" }))
        expect(yield* onlyGroupOf(project.id)).toMatchObject({ id: a!.id, resolution: null })
      }),
    ),

    contractCase(
      "reopens once when two nodes record reports of a new release concurrently",
      Effect.gen(function* () {
        const { project, send } = yield* sending
        yield* record(yield* send("old"))
        yield* second
        const group = yield* onlyGroupOf(project.id)
        yield* resolve(group, nextRelease)
        yield* second
        const payloads = yield* Effect.forEach(["old", "new", "new", "old", "new", ""], (release) =>
          send(release),
        )
        for (const payload of payloads) yield* append(payload)
        yield* Effect.all([recordAll, onSecondNode(recordAll)], { concurrency: 2 })
        yield* recordAll
        expect(yield* onlyGroupOf(project.id)).toMatchObject({ resolution: null, reportsCount: 7 })
        expect(yield* notesOn(project.id, group.id)).toEqual(["Reopened by a new report in release new"])
      }),
    ),

    contractCase(
      "queries releases once per batch, and only for groups that depend on them",
      Effect.gen(function* () {
        const { project, send } = yield* sending
        let lookUps = 0
        const counting = Layer.effect(
          ReleaseStore,
          Effect.map(ReleaseStore, (releases) => ({
            ...releases,
            firstSeen: (places: Parameters<typeof releases.firstSeen>[0]) => {
              lookUps++
              return releases.firstSeen(places)
            },
          })),
        )
        const recorder = Recorder.Default.pipe(Layer.provide(counting), Layer.provide(TestDecoder.layer))
        const recordCounted = (...events: ReadonlyArray<readonly [release: string, group: string]>) =>
          Effect.gen(function* () {
            lookUps = 0
            const payloads = yield* Effect.forEach(events, ([release, group]) =>
              send(release, { group, message: group }),
            )
            yield* append(...payloads)
            yield* RecorderWorker.drain.pipe(Effect.provide(recorder))
            return lookUps
          })
        expect(
          yield* recordCounted(["1.0", "plain"], ["1.0", "next"], ["1.0", "fixed"], ["1.0", "muted"]),
        ).toBe(0)
        const groups = yield* groupsOf(project.id)
        const named = (name: string) => groups.find(({ errorMessage }) => errorMessage === name)!
        yield* second
        yield* save(GroupLifecycle.resolve(named("plain"), null, yield* DateTime.now).group)
        yield* resolve(named("next"), nextRelease)
        yield* resolve(named("fixed"), "2.0")
        yield* muteUntilNext(named("muted"))
        yield* second
        expect(yield* recordCounted(["1.0", "plain"], ["1.1", "plain"], ["", "next"])).toBe(0)
        expect(yield* recordCounted(["1.1", "fixed"], ["1.2", "fixed"])).toBe(0)
        expect(yield* recordCounted(["1.0", "next"], ["x", "fixed"], ["1.0", "muted"], ["1.0", "next"])).toBe(
          1,
        )
      }),
    ),
  ],
}
