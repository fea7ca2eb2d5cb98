/** Members' mail settings for their projects, and paused addresses. */
import { defaultMemberMail, type MemberMail, type ProjectId, type User, type UserId } from "@errata/core"
import { MemberMailStore, ProjectStore, UserStore } from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"

const { noon } = Factory
const hours = (count: number) => DateTime.add(noon, { hours: count })
const everything: MemberMail = { mode: "everything", digest: "never" }
const daily: MemberMail = { mode: "nothing", digest: "daily" }

const put = (projectId: ProjectId, userId: UserId, settings: MemberMail, now = noon) =>
  Effect.flatMap(MemberMailStore, (mail) => mail.put(projectId, userId, settings, now))

const members = (...projectIds: ReadonlyArray<ProjectId>) =>
  Effect.flatMap(MemberMailStore, (mail) => mail.members(projectIds))

const mailTo = (projectId: ProjectId, { emailAddress, id: userId }: User, settings = defaultMemberMail) => ({
  projectId,
  userId,
  emailAddress,
  ...settings,
})

/** Digests of projects from this one on, in pages of this size. */
const digestsFrom = Effect.fnUntraced(function* (projectId: ProjectId, limit = 100) {
  const mail = yield* MemberMailStore
  const pages = [yield* mail.digests({ projectId: projectId - 1, userId: Number.MAX_SAFE_INTEGER }, limit)]
  while (pages.at(-1)!.length > 0) pages.push(yield* mail.digests(pages.at(-1)!.at(-1)!, limit))
  for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit)
  return pages.flat()
})

/** Addresses that no other case pauses, in alphabetical order. */
let addresses = 0
const address = () => `bounced${String(++addresses).padStart(6, "0")}@example.test`

export const memberMailStoreSuite: ContractSuite = {
  name: "MemberMailStore",
  cases: [
    contractCase(
      "stores the settings of a person for a project, and has none before",
      Effect.gen(function* () {
        const mail = yield* MemberMailStore
        const { id: projectId } = yield* Given.project()
        const other = yield* Given.project()
        const [a, b] = [yield* Given.member([projectId]), yield* Given.member([projectId])]
        expect(yield* mail.find(projectId, a.id)).toEqual(Option.none())
        const settings: ReadonlyArray<MemberMail> = [
          everything,
          { mode: "assigned", digest: "weekly" },
          { mode: "new_and_reopened", digest: "daily" },
        ]
        for (const each of settings) {
          yield* put(projectId, a.id, each)
          expect(yield* mail.find(projectId, a.id)).toEqual(Option.some(each))
        }
        expect(yield* mail.find(projectId, b.id)).toEqual(Option.none())
        expect(yield* mail.find(other.id, a.id)).toEqual(Option.none())
      }),
    ),

    contractCase(
      "returns active members with their settings, and admins who have settings",
      Effect.gen(function* () {
        const users = yield* UserStore
        const projects = yield* ProjectStore
        const [a, b, gone] = yield* Effect.all([Given.project(), Given.project(), Given.project()])
        const first = yield* Given.member([b.id, a.id])
        const second = yield* Given.member([a.id, gone.id])
        const left = yield* Given.member([a.id])
        const stranger = yield* Given.member([])
        const admin = yield* Given.user({ role: "admin" })
        const formerAdmin = yield* Given.user({ role: "admin" })
        yield* Given.user({ role: "admin" })
        for (const { id } of [left, stranger, admin, formerAdmin]) yield* put(a.id, id, everything)
        yield* put(b.id, first.id, daily)
        for (const { id } of [left, formerAdmin]) yield* users.deactivate(id, noon)
        yield* projects.remove(gone.id, noon)
        expect(yield* members(b.id, gone.id, a.id, b.id)).toEqual([
          mailTo(a.id, first),
          mailTo(a.id, second),
          mailTo(a.id, admin, everything),
          mailTo(b.id, first, daily),
        ])
        expect(yield* members()).toEqual([])
      }),
    ),

    contractCase(
      "returns the admins if a project has no active member",
      Effect.gen(function* () {
        const users = yield* UserStore
        const { id: projectId } = yield* Given.project()
        const member = yield* Given.member([projectId])
        const admin = yield* Given.user({ role: "admin" })
        const other = yield* Given.user({ role: "admin" })
        yield* put(projectId, other.id, everything)
        const idsOf = Effect.map(members(projectId), (found) => found.map(({ userId }) => userId))
        expect(yield* idsOf).toEqual([member.id, other.id])
        yield* users.deactivate(member.id, noon)
        const found = yield* members(projectId)
        expect(found).toEqual(
          expect.arrayContaining([mailTo(projectId, admin), mailTo(projectId, other, everything)]),
        )
        const admins = yield* Effect.filter(found, ({ userId }) =>
          Effect.map(Effect.flatMap(users.find(userId), Effect.fromOption), ({ role }) => role === "admin"),
        )
        expect(found).toEqual(admins)
        expect(found.map(({ userId }) => userId)).toEqual(
          found.map(({ userId }) => userId).toSorted((x, y) => x - y),
        )
        yield* users.addMembership((yield* Given.member([])).id, projectId)
        expect(yield* idsOf).not.toContain(admin.id)
      }),
    ),

    contractCase(
      "lists the digests of people with access to live projects, page by page",
      Effect.gen(function* () {
        const users = yield* UserStore
        const projects = yield* ProjectStore
        const a = yield* Given.project()
        const b = yield* Given.project()
        const gone = yield* Given.project()
        const [first, second, left, stranger] = yield* Effect.all([
          Given.member([a.id, b.id]),
          Given.member([a.id]),
          Given.member([a.id]),
          Given.member([a.id]),
        ])
        const admin = yield* Given.user({ role: "admin" })
        yield* put(b.id, first.id, { mode: "nothing", digest: "weekly" }, hours(1))
        for (const { id } of [admin, stranger, left, first]) yield* put(a.id, id, daily)
        yield* put(a.id, second.id, everything)
        yield* put(gone.id, admin.id, daily)
        yield* users.deactivate(left.id, noon)
        yield* users.removeMembership(stranger.id, a.id)
        yield* projects.remove(gone.id, noon)
        const expected = [
          { projectId: a.id, userId: first.id, digest: "daily", lastAt: noon },
          { projectId: a.id, userId: admin.id, digest: "daily", lastAt: noon },
          { projectId: b.id, userId: first.id, digest: "weekly", lastAt: hours(1) },
        ]
        expect(yield* digestsFrom(a.id)).toEqual(expected)
        expect(yield* digestsFrom(a.id, 1)).toEqual(expected)
        expect(yield* digestsFrom(b.id)).toEqual(expected.slice(2))
      }),
    ),

    contractCase(
      "starts digests at the time a member requests them",
      Effect.gen(function* () {
        const { id: projectId } = yield* Given.project()
        const { id } = yield* Given.member([projectId])
        const lastAt = Effect.map(digestsFrom(projectId), (found) => found.map(({ lastAt }) => lastAt))
        yield* put(projectId, id, everything)
        expect(yield* lastAt).toEqual([])
        yield* put(projectId, id, daily, hours(1))
        expect(yield* lastAt).toEqual([hours(1)])
        yield* put(projectId, id, { mode: "everything", digest: "weekly" }, hours(2))
        expect(yield* lastAt).toEqual([hours(1)])
        yield* put(projectId, id, everything, hours(3))
        expect(yield* lastAt).toEqual([])
        yield* put(projectId, id, daily, hours(4))
        expect(yield* lastAt).toEqual([hours(4)])
      }),
    ),

    contractCase(
      "advances a digest for one of several concurrent callers",
      Effect.gen(function* () {
        const mail = yield* MemberMailStore
        const { id: projectId } = yield* Given.project()
        const { id } = yield* Given.member([projectId])
        yield* put(projectId, id, daily)
        const [digest] = yield* digestsFrom(projectId)
        const advance = Effect.flatMap(MemberMailStore, (store) => store.advanceDigest(digest!, hours(24)))
        const advanced = yield* Effect.all([advance, onSecondNode(advance), advance], {
          concurrency: "unbounded",
        })
        expect(advanced.filter((done) => done)).toHaveLength(1)
        const [next] = yield* digestsFrom(projectId)
        expect(next).toEqual({ ...digest, lastAt: hours(24) })
        expect(yield* mail.advanceDigest(digest!, hours(48))).toBe(false)
        // A member who disabled mail receives none.
        yield* put(projectId, id, everything)
        expect(yield* mail.advanceDigest(next!, hours(48))).toBe(false)
        expect(yield* mail.advanceDigest({ ...next!, lastAt: null }, hours(48))).toBe(false)
      }),
    ),

    contractCase(
      "pauses an address until it is resumed, and keeps the first reason",
      Effect.gen(function* () {
        const mail = yield* MemberMailStore
        const [a, b, other] = [address(), address(), address()]
        const paused = { address: a, detail: '550 "no such user" 昨日', pausedAt: noon }
        yield* mail.pause(paused)
        yield* mail.pause({ ...paused, detail: "later", pausedAt: hours(1) })
        yield* mail.pause({ address: b, detail: "", pausedAt: hours(1) })
        expect(yield* mail.pausedAmong([other, a, a])).toEqual([paused])
        expect(yield* mail.pausedAmong([a.toUpperCase()])).toEqual([])
        expect(yield* mail.pausedAmong([])).toEqual([])
        const resume = Effect.flatMap(MemberMailStore, (store) => store.resume(a))
        const resumed = yield* Effect.all([resume, onSecondNode(resume)], { concurrency: "unbounded" })
        expect(resumed.filter((done) => done)).toHaveLength(1)
        const left = yield* mail.pausedAmong([a, b])
        expect(left.map(({ address }) => address)).toEqual([b])
      }),
    ),

    contractCase(
      "lists paused addresses in alphabetical order, after one",
      Effect.gen(function* () {
        const mail = yield* MemberMailStore
        const made = [address(), address(), address(), address()]
        for (const each of made.toReversed())
          yield* mail.pause({ address: each, detail: "550", pausedAt: noon })
        const list = (after: string, limit: number) =>
          Effect.map(mail.paused(after, limit), (found) => found.map(({ address }) => address))
        expect(yield* list(made[0]!, 2)).toEqual([made[1], made[2]])
        expect(yield* list(made[2]!, 2)).toEqual([made[3]])
        expect(yield* list(made[3]!, 2)).toEqual([])
        const all = yield* list("", 1_000_000)
        expect(all).toEqual(all.toSorted())
        expect(all).toEqual(expect.arrayContaining(made))
      }),
    ),
  ],
}
