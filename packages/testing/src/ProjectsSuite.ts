/** Changes to projects by admins, through the core's services. */

import { AccessPolicy, Actor, CurrentActor, type ProjectId, Projects } from "@errata/core"
import { ProjectPurger } from "@errata/core/internal"
import { ProjectStore, ReportStore } from "@errata/core/ports"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"

const services = Layer.provideMerge(Projects.Default, AccessPolicy.layer)

const inProject = <A, E, R>(
  id: ProjectId,
  use: (
    projects: Projects["Service"],
    project: AccessPolicy.AuthorizedProject<"project.administer">,
  ) => Effect.Effect<A, E, R>,
) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    return yield* use(yield* Projects, yield* access.project("project.administer", id))
  }).pipe(Effect.provideService(CurrentActor, Actor.System()), Effect.provide(services))

const errorsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => (error as { readonly errors?: unknown }).errors ?? error)

export const projectsSuite: ContractSuite = {
  name: "Projects",
  cases: [
    contractCase(
      "change only the given fields",
      Effect.gen(function* () {
        const before = yield* Given.project({ timezone: "Asia/Tokyo" })
        yield* TestClock.adjust("1 minute")
        const { name } = Factory.newProject()
        const renamed = yield* inProject(before.id, (projects, project) =>
          projects.update(project, { name: `  ${name} ` }),
        )
        expect(renamed).toEqual({ ...before, name, updatedAt: renamed.updatedAt })
        expect(renamed.updatedAt.epochMilliseconds).toBe(before.updatedAt.epochMilliseconds + 60_000)
        const moved = yield* inProject(before.id, (projects, project) =>
          projects.update(project, { timezone: "Europe/Lisbon" }),
        )
        expect([moved.name, moved.timezone]).toEqual([name, "Europe/Lisbon"])
        expect(yield* Effect.fromOption(yield* (yield* ProjectStore).find(before.id))).toEqual(moved)
      }),
    ),

    contractCase(
      "change nothing without fields, or if a field is invalid",
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const before = yield* Given.project()
        yield* TestClock.adjust("1 minute")
        const update = (input: { readonly name?: string; readonly timezone?: string }) =>
          inProject(before.id, (projects, project) => projects.update(project, input))
        expect(yield* update({})).toEqual(before)
        expect(yield* errorsOf(update({ name: " ", timezone: "Europe/Rome" }))).toEqual({
          name: ["can't be blank"],
        })
        expect(yield* errorsOf(update({ name: "x".repeat(201), timezone: "+01:00" }))).toEqual({
          name: ["is too long (maximum is 200 characters)"],
          timezone: ["is not an IANA time zone name"],
        })
        expect(yield* Effect.fromOption(yield* projects.find(before.id))).toEqual(before)
      }),
    ),

    contractCase(
      "reject the name of another project, and accept their own",
      Effect.gen(function* () {
        const a = yield* Given.project()
        const b = yield* Given.project()
        const rename = (id: ProjectId, name: string) =>
          inProject(id, (projects, project) => projects.update(project, { name, timezone: "Europe/Rome" }))
        expect(yield* errorsOf(rename(a.id, b.name))).toEqual({ name: ["has already been taken"] })
        expect((yield* Effect.fromOption(yield* (yield* ProjectStore).find(a.id))).timezone).toBe("UTC")
        expect((yield* rename(a.id, a.name)).timezone).toBe("Europe/Rome")
        const { name } = Factory.newProject()
        yield* rename(b.id, name)
        expect((yield* rename(a.id, b.name)).name).toBe(b.name)
      }),
    ),

    contractCase(
      "give a name to one of two concurrent callers on two nodes",
      Effect.gen(function* () {
        const a = yield* Given.project()
        const b = yield* Given.project()
        const { name } = Factory.newProject()
        const rename = (id: ProjectId) =>
          Effect.result(inProject(id, (projects, project) => projects.update(project, { name })))
        const results = yield* Effect.all([rename(a.id), onSecondNode(rename(b.id))], {
          concurrency: "unbounded",
        })
        expect(results.map(({ _tag }) => _tag).sort()).toEqual(["Failure", "Success"])
        expect(results.find(({ _tag }) => _tag === "Failure")).toMatchObject({
          failure: { errors: { name: ["has already been taken"] } },
        })
      }),
    ),

    contractCase(
      "store their notification settings",
      Effect.gen(function* () {
        const { errorAndFatalNotificationsOnly, id } = yield* Given.project()
        expect(errorAndFatalNotificationsOnly).toBe(false)
        for (const only of [true, false]) {
          const changed = yield* inProject(id, (projects, project) =>
            projects.setNotificationSettings(project, { errorAndFatalNotificationsOnly: only }),
          )
          expect(changed.errorAndFatalNotificationsOnly).toBe(only)
          expect(yield* Effect.fromOption(yield* (yield* ProjectStore).find(id))).toEqual(changed)
        }
      }),
    ),

    contractCase(
      "are listed by replaced access rules, without projects that cannot be read",
      Effect.gen(function* () {
        const [a, b, c] = [yield* Given.project(), yield* Given.project(), yield* Given.project()]
        const user = yield* Given.user()
        const listed = Effect.gen(function* () {
          const page = yield* (yield* Projects).list(
            yield* AccessPolicy.instance("projects.list"),
            { name: null },
            { limit: 10, cursor: null },
          )
          return page.items.map(({ id }) => id)
        }).pipe(Effect.provideService(CurrentActor, Actor.Person({ user })))
        const withRules = (rules: Partial<AccessPolicy.AccessRules>) =>
          Effect.provide(
            listed,
            Layer.provideMerge(
              Projects.Default,
              AccessPolicy.layerWith({ ...AccessPolicy.defaultRules, ...rules }),
            ),
          )
        expect(yield* withRules({})).toEqual([])
        const visibleProjects = () => [a.id, b.id, c.id]
        // The default rule project.read requires membership.
        expect(yield* withRules({ visibleProjects })).toEqual([])
        const project: AccessPolicy.AccessRules["project"] = {
          ...AccessPolicy.defaultRules.project,
          "project.read": (_actor, project) => project?.id !== b.id,
        }
        expect(yield* withRules({ visibleProjects, project })).toEqual([c.id, a.id])
      }),
    ),

    contractCase(
      "are not found after removal, and their data is purged",
      Effect.gen(function* () {
        const reports = yield* ReportStore
        const { id } = yield* Given.project()
        const group = yield* Given.group(id)
        const report = Factory.newReport(group)
        yield* reports.insert([report], Factory.noon)
        yield* inProject(id, (projects, project) => projects.remove(project))
        expect(yield* Effect.flip(inProject(id, () => Effect.void))).toMatchObject({
          _tag: "ProjectNotFound",
          projectId: id,
        })
        yield* ProjectPurger.purge
        expect(yield* reports.locate([{ projectId: id, eventId: report.event.eventId }])).toEqual([null])
      }),
    ),
  ],
}
