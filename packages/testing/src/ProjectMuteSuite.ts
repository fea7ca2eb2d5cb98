/** Applying the mute of a project to its existing groups, from the first group or where an earlier run ended. */
import { AccessPolicy, Actor, CurrentActor, type Group, type Project, Projects } from "@errata/core"
import { MuteJob, ProjectMuter } from "@errata/core/internal"
import { GroupStore, ProjectStore, Storage } from "@errata/core/ports"
import { DateTime, Deferred, Effect, Fiber, Layer, Option } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onRealClock, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { passTime } from "./internal/Paging.js"

const permanent = { at: Factory.noon, by: null, until: null }

/** A project with three groups, and another project that must not be muted. */
const given = Effect.gen(function* () {
  const project = yield* Given.project()
  const stranger = yield* Given.group((yield* Given.project()).id)
  const [a, b, c] = [
    yield* Given.group(project.id),
    yield* Given.group(project.id),
    yield* Given.group(project.id),
  ]
  return { project, a, b, c, stranger }
})

const current = (group: Group) =>
  Effect.flatMap(GroupStore, (groups) =>
    Effect.flatMap(groups.find(group.projectId, group.id), Effect.fromOption),
  )

const mutesOf = (...groups: ReadonlyArray<Group>) =>
  Effect.map(Effect.forEach(groups, current), (found) => found.map(({ projectMute }) => projectMute))

const setMute = (project: Project, mute: Project["mute"] = permanent) =>
  Effect.flatMap(ProjectStore, (projects) => projects.setMute(project.id, mute, Factory.noon))

const unfinishedMute = (project: Project) =>
  Effect.flatMap(ProjectStore, (projects) =>
    Effect.flatMap(projects.findUnfinishedMute(project.id), Effect.fromOption),
  )

const isUnfinished = Effect.fnUntraced(function* (project: Project) {
  const projects = yield* ProjectStore
  const found = yield* projects.findUnfinishedMute(project.id)
  expect((yield* projects.unfinishedMutes).includes(project.id)).toBe(Option.isSome(found))
  return Option.isSome(found)
})

const muteProject = (project: Project) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    yield* (yield* Projects).mute(yield* access.project("project.administer", project.id), null)
  }).pipe(
    Effect.provideService(CurrentActor, Actor.System()),
    Effect.provide(Layer.provideMerge(Projects.Default, AccessPolicy.layer)),
  )

export const projectMuteSuite: ContractSuite = {
  name: "Project mutes",
  cases: [
    contractCase(
      "store their progress through the groups",
      Effect.gen(function* () {
        const { a, c, project } = yield* given
        const { advanceMute } = yield* ProjectStore
        expect(yield* isUnfinished(project)).toBe(false)
        const until = DateTime.add(Factory.noon, { hours: 1 })
        yield* setMute(project, { ...permanent, until })
        const start = yield* unfinishedMute(project)
        expect(start).toEqual({
          projectId: project.id,
          mute: { ...permanent, until },
          after: 0,
          last: c.id,
        })
        yield* Given.group(project.id)
        expect(yield* advanceMute(start, a.id)).toBe(true)
        const next = yield* unfinishedMute(project)
        expect(next).toEqual({ ...start, after: a.id })
        expect(yield* advanceMute(start, a.id)).toBe(false)
        expect(yield* unfinishedMute(project)).toEqual(next)
        expect(yield* advanceMute(next, c.id)).toBe(true)
        expect(yield* isUnfinished(project)).toBe(false)
        expect(yield* advanceMute(next, c.id)).toBe(false)
        expect((yield* Effect.fromOption(yield* (yield* ProjectStore).find(project.id))).mute).toEqual({
          ...permanent,
          until,
        })
      }),
    ),

    contractCase(
      "are finished immediately without groups, and without a project or mute",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const empty = yield* Given.project()
        yield* setMute(empty)
        expect(yield* isUnfinished(empty)).toBe(false)
        const { project: unmuted } = yield* given
        const { project: removed } = yield* given
        for (const project of [unmuted, removed]) {
          yield* setMute(project)
          expect(yield* isUnfinished(project)).toBe(true)
        }
        const [one, other] = [yield* unfinishedMute(unmuted), yield* unfinishedMute(removed)]
        yield* setMute(unmuted, null)
        yield* projects.remove(removed.id, Factory.noon)
        for (const project of [unmuted, removed]) expect(yield* isUnfinished(project)).toBe(false)
        expect([yield* projects.advanceMute(one, 1), yield* projects.advanceMute(other, 1)]).toEqual([
          false,
          false,
        ])
      }),
    ),

    contractCase(
      "start again when they are replaced",
      Effect.gen(function* () {
        const { a, project } = yield* given
        const { advanceMute } = yield* ProjectStore
        const until = DateTime.add(Factory.noon, { hours: 1 })
        yield* setMute(project)
        const first = yield* unfinishedMute(project)
        // In the same millisecond.
        yield* setMute(project, { ...permanent, until })
        expect(yield* advanceMute(first, a.id)).toBe(false)
        expect(yield* unfinishedMute(project)).toEqual({ ...first, mute: { ...permanent, until } })
        yield* advanceMute(yield* unfinishedMute(project), a.id)
        yield* setMute(project)
        expect(yield* unfinishedMute(project)).toEqual(first)
      }),
    ),

    contractCase(
      "continue after a process that ended, without repeating finished groups",
      Effect.gen(function* () {
        const { a, b, c, project, stranger } = yield* given
        const { advanceMute } = yield* ProjectStore
        const groups = yield* GroupStore
        yield* setMute(project)
        // One group was muted and then unmuted by hand; so was a group that was created muted.
        yield* advanceMute(yield* unfinishedMute(project), a.id)
        const younger = yield* Given.group(project.id)
        expect(yield* mutesOf(younger)).toEqual([permanent])
        yield* groups.save([Given.changeGroup(younger, { projectMute: null })])
        yield* onSecondNode(ProjectMuter.finish)
        expect(yield* mutesOf(a, b, c, younger, stranger)).toEqual([null, permanent, permanent, null, null])
        expect((yield* current(b)).notesCount).toBe(0)
        expect(yield* isUnfinished(project)).toBe(false)
        yield* groups.save([Given.changeGroup(yield* current(b), { projectMute: null })])
        yield* ProjectMuter.finish
        expect(yield* mutesOf(b)).toEqual([null])
      }),
    ),

    contractCase(
      "mute no more groups once they have expired",
      Effect.gen(function* () {
        const { a, b, c, project } = yield* given
        const until = DateTime.subtract(yield* DateTime.now, { milliseconds: 1 })
        yield* setMute(project, { ...permanent, until })
        yield* ProjectMuter.finish
        expect(yield* mutesOf(a, b, c)).toEqual([null, null, null])
        expect(yield* isUnfinished(project)).toBe(false)
      }),
    ),

    contractCase(
      "are cleared when they expire, not before",
      Effect.gen(function* () {
        const { a, project } = yield* given
        const at = yield* DateTime.now
        const until = DateTime.add(at, { minutes: 5 })
        yield* setMute(project, { ...permanent, until })
        const forEver = yield* Given.project()
        yield* setMute(forEver)
        yield* ProjectMuter.finish
        expect(yield* mutesOf(a)).toEqual([{ ...permanent, until }])
        const muteOf = ({ id }: Project) =>
          Effect.flatMap(ProjectStore, (projects) =>
            Effect.map(Effect.flatMap(projects.find(id), Effect.fromOption), ({ mute }) => mute),
          )
        expect(yield* muteOf(project)).toEqual({ ...permanent, until })
        yield* advance("5 minutes")
        yield* ProjectMuter.finish
        expect(yield* muteOf(project)).toBe(null)
        expect(yield* muteOf(forEver)).toEqual(permanent)
        // The group's own copy is removed by the job.
        expect(yield* mutesOf(a)).toEqual([{ ...permanent, until }])
        yield* MuteJob.expire
        expect(yield* mutesOf(a)).toEqual([null])
        yield* setMute(forEver, null)
      }),
    ),

    contractCase(
      "stop muting groups when they are cleared",
      Effect.gen(function* () {
        const { a, b, c, project } = yield* given
        yield* setMute(project)
        let reads = 0
        const clearing = Effect.updateService(ProjectStore, (projects) => ({
          ...projects,
          findUnfinishedMute: (id) =>
            Effect.tap(projects.findUnfinishedMute(id), () => {
              if (id !== project.id) return Effect.void
              reads++
              return projects.setMute(id, null, Factory.noon)
            }),
        }))
        yield* ProjectMuter.finish.pipe(clearing)
        expect(reads).toBe(2)
        expect(yield* mutesOf(a, b, c)).toEqual([null, null, null])
        expect((yield* current(a)).notesCount).toBe(0)
      }),
    ),

    contractCase(
      "mute every group once when two nodes apply them concurrently",
      Effect.gen(function* () {
        const { a, b, c, project } = yield* given
        yield* setMute(project)
        yield* Effect.all([ProjectMuter.finish, onSecondNode(ProjectMuter.finish), ProjectMuter.finish], {
          concurrency: "unbounded",
        })
        expect(yield* mutesOf(a, b, c)).toEqual([permanent, permanent, permanent])
        const found = yield* Effect.forEach([a, b, c], current)
        expect(found.map(({ notesCount }) => notesCount)).toEqual([0, 0, 0])
        expect(yield* isUnfinished(project)).toBe(false)
      }).pipe(onRealClock),
    ),

    contractCase(
      "reach all groups even if the caller is interrupted",
      Effect.gen(function* () {
        const { a, b, c, project } = yield* given
        const { ping } = yield* Storage
        const begun = yield* Deferred.make<void>()
        const goOn = yield* Deferred.make<void>()
        const gate = Effect.updateService(GroupStore, (groups) => ({
          ...groups,
          lockNext: (...args) =>
            Deferred.succeed(begun, undefined).pipe(
              Effect.andThen(Deferred.await(goOn)),
              Effect.andThen(groups.lockNext(...args)),
            ),
        }))
        const muting = yield* Effect.forkChild(muteProject(project).pipe(gate))
        yield* Deferred.await(begun)
        const ending = yield* Effect.forkChild(Fiber.interrupt(muting))
        yield* passTime(ping)
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(ending)
        expect((yield* mutesOf(a, b, c)).map((mute) => mute !== null)).toEqual([true, true, true])
        expect(yield* isUnfinished(project)).toBe(false)
      }).pipe(onRealClock),
    ),
  ],
}
