import { StorageError, UserId } from "@errata/core"
import { type NewUser, Storage, UserStore } from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf } from "./internal/Paging.js"

const insert = (user: NewUser) => Effect.flatMap(UserStore, (users) => users.insert(user, Factory.noon))

const later = DateTime.add(Factory.noon, { hours: 1 })

export const userStoreSuite: ContractSuite = {
  name: "UserStore",
  cases: [
    contractCase(
      "returns the names of users, also of deactivated ones",
      Effect.gen(function* () {
        const users = yield* UserStore
        const [a, b] = [yield* Given.user(), yield* Given.user()]
        yield* users.deactivate(b.id, Factory.noon)
        const unknown = UserId.make(b.id + 1_000_000)
        expect(yield* users.names([b.id, a.id, unknown, a.id])).toEqual(
          new Map([
            [a.id, a.name],
            [b.id, b.name],
          ]),
        )
        expect(yield* users.names([])).toEqual(new Map())
      }),
    ),

    contractCase(
      "keeps a user as inserted",
      Effect.gen(function* () {
        const users = yield* UserStore
        const input = Factory.newUser({ role: "admin" })
        const inserted = yield* Effect.fromOption(yield* insert(input))
        expect(inserted).toMatchObject({
          name: input.name,
          emailAddress: input.emailAddress,
          role: "admin",
          active: true,
          projectIds: [],
        })
        expect([inserted.createdAt, inserted.updatedAt]).toEqual([Factory.noon, Factory.noon])
        expect(yield* Effect.fromOption(yield* users.find(inserted.id))).toEqual(inserted)
        expect(yield* Effect.fromOption(yield* users.findByApiKeyHash(input.apiKeyHash))).toEqual(inserted)
        expect(Option.isNone(yield* users.find(2_000_000_000 as UserId))).toBe(true)
      }),
    ),

    contractCase(
      "assigns an email address to one active user only, ignoring case",
      Effect.gen(function* () {
        const users = yield* UserStore
        const { emailAddress, id } = yield* Given.user()
        const refused = Factory.newUser({ emailAddress: emailAddress.toUpperCase() })
        expect(Option.isNone(yield* insert(refused))).toBe(true)
        expect(Option.isNone(yield* users.findByApiKeyHash(refused.apiKeyHash))).toBe(true)
        const found = yield* Effect.fromOption(yield* users.findByEmailAddress(emailAddress.toUpperCase()))
        expect([found.id, found.emailAddress]).toEqual([id, emailAddress])
      }),
    ),

    contractCase(
      "assigns an API key to one active user only, also when nodes race",
      Effect.gen(function* () {
        const first = Factory.newUser()
        const inserted = yield* Effect.all([insert(first), onSecondNode(insert(first))], {
          concurrency: "unbounded",
        })
        expect(inserted.filter(Option.isSome)).toHaveLength(1)
        expect(Option.isNone(yield* insert(Factory.newUser({ apiKeyHash: first.apiKeyHash })))).toBe(true)
      }),
    ),

    contractCase(
      "assigns an email address to one user when nodes race",
      Effect.gen(function* () {
        const { emailAddress } = Factory.newUser()
        const inserted = yield* Effect.all(
          [
            insert(Factory.newUser({ emailAddress })),
            onSecondNode(insert(Factory.newUser({ emailAddress: emailAddress.toUpperCase() }))),
          ],
          { concurrency: "unbounded" },
        )
        expect(inserted.filter(Option.isSome)).toHaveLength(1)
      }),
    ),

    contractCase(
      "assigns an API key to one user only",
      Effect.gen(function* () {
        const users = yield* UserStore
        const input = Factory.newUser()
        const owner = yield* Given.user(input)
        const other = yield* Given.user()
        const error = yield* Effect.flip(users.setApiKeyHash(other.id, input.apiKeyHash, later))
        expect(error).toBeInstanceOf(StorageError)
        expect(error.reason).toBe("rejected")
        expect((yield* Effect.fromOption(yield* users.findByApiKeyHash(input.apiKeyHash))).id).toBe(owner.id)
      }),
    ),

    contractCase(
      "replaces an API key",
      Effect.gen(function* () {
        const users = yield* UserStore
        const input = Factory.newUser()
        const { id } = yield* Given.user(input)
        const { apiKeyHash } = Factory.newUser()
        yield* users.setApiKeyHash(id, apiKeyHash, later)
        expect(Option.isNone(yield* users.findByApiKeyHash(input.apiKeyHash))).toBe(true)
        const found = yield* Effect.fromOption(yield* users.findByApiKeyHash(apiKeyHash))
        expect([found.id, found.updatedAt]).toEqual([id, later])
      }),
    ),

    contractCase(
      "ends the access of a deactivated user",
      Effect.gen(function* () {
        const users = yield* UserStore
        const input = Factory.newUser()
        const { id } = yield* Given.user(input)
        yield* users.deactivate(id, later)
        expect(Option.isNone(yield* users.findByApiKeyHash(input.apiKeyHash))).toBe(true)
        const found = yield* Effect.fromOption(yield* users.find(id))
        expect([found.active, found.updatedAt]).toEqual([false, later])
        const newest = yield* users.list(null, { limit: 1, cursor: id + 1 })
        expect(newest.items.map(idOf)).not.toContain(id)
      }),
    ),

    contractCase(
      "releases the email address of a deactivated user",
      Effect.gen(function* () {
        const users = yield* UserStore
        const { emailAddress, id } = yield* Given.user()
        yield* users.deactivate(id, later)
        const successor = yield* Given.user({ emailAddress })
        expect((yield* Effect.fromOption(yield* users.findByEmailAddress(emailAddress))).id).toBe(
          successor.id,
        )
      }),
    ),

    contractCase(
      "lists active users newest first, page by page",
      Effect.gen(function* () {
        const users = yield* UserStore
        const a = yield* Given.user()
        const gone = yield* Given.user()
        const b = yield* Given.user()
        const c = yield* Given.user()
        yield* users.deactivate(gone.id, later)
        const first = yield* users.list(null, { limit: 2, cursor: null })
        expect(first.items.map(idOf)).toEqual([c.id, b.id])
        expect(first.nextCursor).toBe(b.id)
        yield* Given.user()
        const second = yield* users.list(null, { limit: 1, cursor: first.nextCursor })
        expect(second.items.map(idOf)).toEqual([a.id])
      }),
    ),

    contractCase(
      "stores each membership once, in ascending order",
      Effect.gen(function* () {
        const users = yield* UserStore
        const input = Factory.newUser()
        const { id } = yield* Given.user(input)
        const a = yield* Given.project()
        const b = yield* Given.project()
        for (const projectId of [b.id, a.id, b.id]) yield* users.addMembership(id, projectId)
        expect((yield* Effect.fromOption(yield* users.find(id))).projectIds).toEqual([a.id, b.id])
        expect(
          (yield* Effect.fromOption(yield* users.findByApiKeyHash(input.apiKeyHash))).projectIds,
        ).toEqual([a.id, b.id])
      }),
    ),

    contractCase(
      "removes single memberships, also missing ones",
      Effect.gen(function* () {
        const users = yield* UserStore
        const user = yield* Given.user()
        const other = yield* Given.user()
        const a = yield* Given.project()
        const b = yield* Given.project()
        for (const { id } of [user, other]) {
          yield* users.addMembership(id, a.id)
          yield* users.addMembership(id, b.id)
        }
        yield* users.removeMembership(user.id, a.id)
        yield* users.removeMembership(user.id, a.id)
        yield* users.removeMembership(2_000_000_000 as UserId, a.id)
        expect((yield* Effect.fromOption(yield* users.find(user.id))).projectIds).toEqual([b.id])
        expect((yield* Effect.fromOption(yield* users.find(other.id))).projectIds).toEqual([a.id, b.id])
      }),
    ),

    contractCase(
      "changes the role of a user",
      Effect.gen(function* () {
        const users = yield* UserStore
        const input = Factory.newUser({ role: "member" })
        const { id } = yield* Given.user(input)
        for (const role of ["admin", "member"] as const) {
          yield* users.setRole(id, role, later)
          expect(yield* Effect.fromOption(yield* users.findByApiKeyHash(input.apiKeyHash))).toMatchObject({
            id,
            role,
            updatedAt: later,
          })
        }
      }),
    ),

    contractCase(
      "lists who has access to a project: active members and admins, newest first",
      Effect.gen(function* () {
        const users = yield* UserStore
        const project = yield* Given.project()
        const elsewhere = yield* Given.project()
        const join = (user: { readonly id: UserId }, { id }: { readonly id: number } = project) =>
          Effect.as(users.addMembership(user.id, id), user.id)
        const a = yield* join(yield* Given.user())
        yield* join(yield* Given.user(), elsewhere)
        const admin = (yield* Given.user({ role: "admin" })).id
        yield* users.deactivate(yield* join(yield* Given.user()), later)
        const both = yield* join(yield* Given.user({ role: "admin" }))
        yield* Given.user()
        const c = yield* join(yield* Given.user())
        const first = yield* users.list(project.id, { limit: 3, cursor: null })
        expect(first.items.map(idOf)).toEqual([c, both, admin])
        expect(first.nextCursor).toBe(admin)
        const second = yield* users.list(project.id, { limit: 1, cursor: first.nextCursor })
        expect(second.items.map(idOf)).toEqual([a])
        expect(second.items[0]?.projectIds).toEqual([project.id])
      }),
    ),

    contractCase(
      "counts active admins",
      Effect.gen(function* () {
        const users = yield* UserStore
        const before = yield* users.countActiveAdmins
        const admin = yield* Given.user({ role: "admin" })
        yield* Given.user({ role: "member" })
        expect(yield* users.countActiveAdmins).toBe(before + 1)
        yield* users.deactivate(admin.id, later)
        expect(yield* users.countActiveAdmins).toBe(before)
      }),
    ),

    contractCase(
      "keeps one admin when two nodes deactivate the last two concurrently",
      Effect.gen(function* () {
        const users = yield* UserStore
        const [a, b] = yield* Effect.all([Given.user({ role: "admin" }), Given.user({ role: "admin" })])
        const least = (yield* users.countActiveAdmins) - 1
        const deactivate = Effect.fnUntraced(function* (id: UserId) {
          const { transaction } = yield* Storage
          const store = yield* UserStore
          return yield* transaction(
            Effect.gen(function* () {
              if ((yield* store.countActiveAdmins) <= least) return false
              yield* Effect.yieldNow
              yield* store.deactivate(id, later)
              return true
            }),
          )
        })
        const done = yield* Effect.all([deactivate(a.id), onSecondNode(deactivate(b.id))], {
          concurrency: "unbounded",
        })
        expect(done.filter(Boolean)).toHaveLength(1)
        expect(yield* users.countActiveAdmins).toBe(least)
      }),
    ),

    contractCase(
      "lists people who share a project, including admins and deactivated users",
      Effect.gen(function* () {
        const users = yield* UserStore
        const [a, b] = [yield* Given.project(), yield* Given.project()]
        const mate = yield* Given.member([a.id, b.id])
        const left = yield* Given.member([a.id])
        yield* users.deactivate(left.id, yield* DateTime.now)
        const admin = yield* Given.user({ role: "admin" })
        const other = yield* Given.member([b.id])
        const among = [mate.id, left.id, admin.id, other.id]
        const sharing = (projectIds: ReadonlyArray<number> | null) =>
          Effect.map(users.listSharing(projectIds), (people) =>
            people.map(({ id }) => id).filter((id) => among.includes(id)),
          )
        expect(yield* sharing([a.id])).toEqual([admin.id, left.id, mate.id])
        expect(yield* sharing([a.id, b.id])).toEqual([other.id, admin.id, left.id, mate.id])
        expect(yield* sharing(null)).toEqual([other.id, admin.id, left.id, mate.id])
        expect(yield* users.listSharing([])).toEqual([])
        const [first] = (yield* users.listSharing([a.id])).filter(({ id }) => id === mate.id)
        expect(first).toEqual({ id: mate.id, name: mate.name })
      }),
    ),
  ],
}
