/** Access to users and members through the core's services. */
import {
  AccessPolicy,
  Actor,
  CurrentActor,
  Members,
  type Role,
  type User,
  type UserId,
  Users,
} from "@errata/core"
import { ProjectStore, UserStore } from "@errata/core/ports"
import { contractCase, Factory, Given, onSecondNode } from "@errata/testing"
import { Effect, Layer } from "effect"
import { expect } from "vitest"
import { onStorages } from "../support/storages.js"

const services = Layer.provideMerge(Layer.merge(Users.Default, Members.Default), AccessPolicy.layer)

const asSystem = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.provideService(CurrentActor, Actor.System()), Effect.provide(services))

const onInstance = <Rule extends "users.read" | "users.administer", A, E, R>(
  rule: Rule,
  use: (
    users: Users["Service"],
    allowed: AccessPolicy.AuthorizedInstance<AccessPolicy.Known<Rule>>,
  ) => Effect.Effect<A, E, R>,
) =>
  asSystem(
    Effect.gen(function* () {
      return yield* use(yield* Users, yield* AccessPolicy.instance(rule))
    }),
  )

const setRole = (id: UserId, role: Role) =>
  onInstance("users.administer", (users, allowed) => users.setRole(allowed, id, role))
const deactivate = (id: UserId) =>
  onInstance("users.administer", (users, allowed) => users.deactivate(allowed, id))
const get = (id: UserId) => onInstance("users.read", (users, allowed) => users.get(allowed, id))

const inProject = <A, E, R>(
  id: Parameters<ProjectStore["Service"]["find"]>[0],
  use: (
    members: Members["Service"],
    project: AccessPolicy.AuthorizedProject<"project.administer">,
  ) => Effect.Effect<A, E, R>,
) =>
  asSystem(
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      return yield* use(yield* Members, yield* access.project("project.administer", id))
    }),
  )

/** Demotes all other admins to members. */
const onlyAdmins = Effect.fnUntraced(function* (...admins: ReadonlyArray<User>) {
  const users = yield* UserStore
  let cursor: number | null = null
  do {
    const page: Effect.Success<ReturnType<typeof users.list>> = yield* users.list(null, {
      limit: 100,
      cursor,
    })
    for (const { id, role } of page.items) {
      if (role === "admin" && !admins.some((admin) => admin.id === id)) {
        yield* users.setRole(id, "member", Factory.noon)
      }
    }
    cursor = page.nextCursor
  } while (cursor !== null)
})

const errorsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => (error as { readonly errors?: unknown }).errors ?? error)

onStorages("Users and members", [
  contractCase(
    "give admins access to all projects until they lose the role",
    Effect.gen(function* () {
      const projects = yield* ProjectStore
      const { id: projectId } = yield* Given.project()
      const mine = yield* Given.project()
      const gone = yield* Given.project()
      yield* projects.remove(gone.id, Factory.noon)
      const { id } = yield* Given.user()
      yield* Given.user({ role: "admin" })
      yield* inProject(mine.id, (members, project) => members.add(project, id))
      expect((yield* get(id)).projectIds).toEqual([mine.id])
      const promoted = yield* setRole(id, "admin")
      expect([promoted.role, promoted.projectIds]).toEqual(["admin", yield* projects.liveIds])
      expect(promoted.projectIds).toEqual(expect.arrayContaining([projectId, mine.id]))
      expect(promoted.projectIds).not.toContain(gone.id)
      expect((yield* get(id)).projectIds).toEqual(promoted.projectIds)
      const listed = yield* onInstance("users.read", (users, allowed) =>
        users.list(allowed, { limit: 1, cursor: id + 1 }),
      )
      expect(listed.items).toEqual([yield* get(id)])
      expect((yield* setRole(id, "member")).projectIds).toEqual([mine.id])
    }),
  ),

  contractCase(
    "leave users unchanged if the change has no effect",
    Effect.gen(function* () {
      const user = yield* Given.user()
      expect((yield* setRole(user.id, "member")).updatedAt).toEqual(user.updatedAt)
      yield* deactivate(user.id)
      const { updatedAt } = yield* get(user.id)
      yield* deactivate(user.id)
      expect(yield* get(user.id)).toMatchObject({ active: false, updatedAt })
      expect(yield* errorsOf(setRole(user.id, "admin"))).toEqual({
        role: ["can't be changed: the user is deactivated"],
      })
    }),
  ),

  contractCase(
    "do not find unknown users",
    Effect.gen(function* () {
      const nobody = 2_000_000_000 as UserId
      for (const effect of [get(nobody), setRole(nobody, "admin"), deactivate(nobody)]) {
        expect(yield* Effect.flip(effect)).toMatchObject({ _tag: "UserNotFound" })
      }
    }),
  ),

  contractCase(
    "keep the last active admin",
    Effect.gen(function* () {
      const admin = yield* Given.user({ role: "admin" })
      yield* onlyAdmins(admin)
      expect(yield* errorsOf(setRole(admin.id, "member"))).toEqual({
        role: ["can't be changed: the user is the last active admin"],
      })
      expect(yield* errorsOf(deactivate(admin.id))).toEqual({
        user: ["can't be deactivated: the user is the last active admin"],
      })
      expect(yield* get(admin.id)).toMatchObject({ role: "admin", active: true })
      const second = yield* Given.user({ role: "admin" })
      yield* setRole(admin.id, "member")
      expect((yield* get(second.id)).role).toBe("admin")
    }),
  ),

  contractCase(
    "keep one of two admins when nodes demote and deactivate them concurrently",
    Effect.gen(function* () {
      const users = yield* UserStore
      const a = yield* Given.user({ role: "admin" })
      const b = yield* Given.user({ role: "admin" })
      yield* onlyAdmins(a, b)
      const results = yield* Effect.all(
        [Effect.result(setRole(a.id, "member")), onSecondNode(Effect.result(deactivate(b.id)))],
        { concurrency: "unbounded" },
      )
      expect(results.filter(({ _tag }) => _tag === "Success")).toHaveLength(1)
      expect(yield* users.countActiveAdmins).toBe(1)
    }),
  ),

  contractCase(
    "add only active users to a project",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const member = yield* Given.user()
      const gone = yield* Given.user()
      yield* deactivate(gone.id)
      const add = (userId: UserId) => inProject(id, (members, project) => members.add(project, userId))
      yield* add(member.id)
      yield* add(member.id)
      for (const userId of [gone.id, 2_000_000_000 as UserId]) {
        expect(yield* errorsOf(add(userId))).toEqual({ userId: ["is not an active user"] })
      }
      const remove = (userId: UserId) => inProject(id, (members, project) => members.remove(project, userId))
      expect((yield* get(member.id)).projectIds).toEqual([id])
      yield* remove(member.id)
      yield* remove(member.id)
      yield* remove(2_000_000_000 as UserId)
      expect(yield* get(member.id)).toMatchObject({ active: true, projectIds: [] })
    }),
  ),

  contractCase(
    "list who has access to a project: members and admins",
    Effect.gen(function* () {
      const { id } = yield* Given.project()
      const admin = yield* Given.user({ role: "admin" })
      const member = yield* Given.user()
      yield* Given.user()
      yield* inProject(id, (members, project) => members.add(project, member.id))
      const page = yield* asSystem(
        Effect.gen(function* () {
          const project = yield* AccessPolicy.project("project.inspect", id)
          return yield* (yield* Members).list(project, { limit: 2, cursor: null })
        }),
      )
      expect(page.items.map(({ id }) => id)).toEqual([member.id, admin.id])
      expect(page.items[1]?.projectIds).toContain(id)
    }),
  ),
])
