/** The rights that remain of a user's when an actor has only some grants. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Result } from "effect"
import type { CredentialGrant } from "../../src/access/Actor.js"
import { GroupId } from "../../src/group/Group.js"
import {
  AccessPolicy,
  Actor,
  allGrants,
  CurrentActor,
  type InstanceRule,
  NoteId,
  ProjectId,
  type ProjectRule,
  ProjectToken,
  type User,
  UserId,
} from "../../src/index.js"
import { ProjectStore } from "../../src/ports.js"

const at = DateTime.makeUnsafe(0)
const id = ProjectId.make(1)

const project = {
  id,
  name: "project",
  key: null,
  platform: "node",
  timezone: "UTC",
  token: ProjectToken.make("a".repeat(32)),
  groupsCount: 0,
  reportsCount: 0,
  mute: null,
  errorAndFatalNotificationsOnly: false,
  firstReportAt: null,
  lastReportAt: null,
  lastContactAt: null,
  createdAt: at,
  updatedAt: at,
}

const user = (role: User["role"], ...projectIds: ReadonlyArray<number>) => ({
  id: UserId.make(1),
  name: "ada",
  emailAddress: "ada@example.com",
  role,
  active: true,
  projectIds,
  createdAt: at,
  updatedAt: at,
})

const note = {
  id: NoteId.make(1),
  projectId: id,
  groupId: GroupId.make(1),
  content: "a note",
  automated: false,
  user: { id: UserId.make(1), name: "ada", emailAddress: "ada@example.com" },
  createdAt: at,
}

const store = Layer.succeed(ProjectStore, {
  find: () => Effect.succeed(Option.some(project)),
  list: () => Effect.succeed({ items: [project], nextCursor: null }),
} as unknown as ProjectStore["Service"])

/** The outcome of each rule for an actor: `passes`, or the error. */
const outcomes = (actor: Actor) =>
  Effect.gen(function* () {
    const { instance, project } = AccessPolicy.defaultRules
    const found: Record<string, "passes" | "hidden" | { readonly missing: CredentialGrant | null }> = {}
    const ask = <A, E, R>(rule: string, asked: Effect.Effect<A, E, R>) =>
      Effect.map(Effect.result(asked), (result) => {
        if (Result.isSuccess(result)) found[rule] = "passes"
        else if (result.failure instanceof AccessPolicy.AccessDenied) {
          expect(result.failure.rule).toBe(rule)
          found[rule] = { missing: result.failure.missingGrant }
        } else if (result.failure instanceof AccessPolicy.ProjectNotFound) found[rule] = "hidden"
        else expect.fail(String(result.failure))
      })
    for (const rule of Object.keys(instance) as ReadonlyArray<InstanceRule>) {
      yield* ask(rule, AccessPolicy.instance(rule))
    }
    for (const rule of Object.keys(project) as ReadonlyArray<ProjectRule>) {
      yield* ask(rule, AccessPolicy.project(rule, id))
    }
    return found
  }).pipe(
    Effect.provideService(CurrentActor, actor),
    Effect.provide(Layer.provide(AccessPolicy.layer, store)),
  )

const { "notes.remove": _, ...walked } = AccessPolicy.requiredGrants

describe("An actor with some of the grants", () => {
  const users: ReadonlyArray<readonly [string, User]> = [
    ["an admin", user("admin")],
    ["a member", user("member", id)],
    ["a stranger", user("member")],
  ]
  const grants: ReadonlyArray<ReadonlyArray<CredentialGrant>> = [
    ["read"],
    ["write"],
    ["read", "write"],
    ["accounts"],
    [],
    allGrants,
  ]

  it.effect.each(users.flatMap(([name, user]) => grants.map((grants) => ({ name, user, grants }))))(
    "passes the user's rules that need these grants: $name with $grants",
    ({ grants, user }) =>
      Effect.gen(function* () {
        const full = yield* outcomes(Actor.Person({ user }))
        expect(Object.keys(full).sort()).toEqual(Object.keys(walked).sort())
        const expected = Object.fromEntries(
          Object.entries(walked).map(([rule, grant]) => [
            rule,
            // A user without the right gets no hint about missing grants.
            full[rule] === "passes" && !grants.includes(grant) ? { missing: grant } : full[rule],
          ]),
        )
        expect(yield* outcomes(Actor.Person({ user, grants }))).toEqual(expected)
      }),
  )

  it.effect("passes every rule of its user if it has all grants", () =>
    Effect.gen(function* () {
      const everything = Object.fromEntries(Object.keys(walked).map((rule) => [rule, "passes"]))
      expect(yield* outcomes(Actor.System())).toEqual(everything)
      expect(yield* outcomes(Actor.Person({ user: user("admin") }))).toEqual(everything)
      const stranger = yield* outcomes(Actor.Person({ user: user("member") }))
      expect(Object.entries(stranger).filter(([, outcome]) => outcome === "passes")).toEqual([
        ["projects.list", "passes"],
        ["people.list", "passes"],
        ["account.change", "passes"],
        ["apps.list", "passes"],
        ["chunks.upload", "passes"],
      ])
      expect(stranger["groups.change"]).toBe("hidden")
      expect(stranger["project.administer"]).toEqual({ missing: null })
    }),
  )

  it.effect("sees no project without the grant to read", () =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      for (const role of ["admin", "member"] as const) {
        const actor = (...grants: ReadonlyArray<CredentialGrant>) =>
          Actor.Person({ user: user(role, id), grants })
        expect(yield* access.visibleProjects(actor("read"))).toEqual(role === "admin" ? null : [id])
        expect(yield* access.visibleProjects(actor("write"))).toEqual([])
        expect(access.allows("groups.read", actor("read"), project)).toBe(true)
        expect(access.allows("groups.change", actor("read"), project)).toBe(false)
      }
    }).pipe(Effect.provide(Layer.provide(AccessPolicy.layer, store))),
  )

  it.effect("cannot remove its own note without the grant to write", () =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const grants: Array<CredentialGrant> = ["read", "write"]
      const actor = Actor.Person({ user: user("member", id), grants })
      const changeable = yield* access
        .project("groups.change", id)
        .pipe(Effect.provideService(CurrentActor, actor))
      yield* access.note("notes.remove", changeable, note)
      // The only way to test it, because a note is checked after "groups.change".
      grants.pop()
      expect(yield* Effect.flip(access.note("notes.remove", changeable, note))).toMatchObject({
        rule: "notes.remove",
        missingGrant: "write",
      })
    }).pipe(Effect.provide(Layer.provide(AccessPolicy.layer, store))),
  )
})
