/** Validation of input in the core's services, without a transport and the same on every storage. */
import {
  AccessPolicy,
  Actor,
  Apps,
  CurrentActor,
  DeadLetters,
  Deliveries,
  GroupFilter,
  Groups,
  Members,
  Notes,
  type Page,
  Projects,
  Reports,
  SearchQuery,
  Services,
  SourcemapOrigins,
  Users,
  Webhooks,
} from "@errata/core"
import { GroupListParameters, readDeadline, readMute, readRange } from "@errata/core/internal"
import { GroupLifecycle } from "@errata/core/ports"
import { contractCase, Factory, Given, TestDecoder } from "@errata/testing"
import { DateTime, Effect, Layer } from "effect"
import { expect } from "vitest"
import { notTimeBound } from "../../src/search/DateBound.js"
import { refusal } from "../support/refusal.js"
import { onStorages } from "../support/storages.js"

const services = Layer.provide(Services.layer, TestDecoder.layer)

const first = { limit: 1, cursor: null }

/** A project with two groups, a webhook and the permissions of the system. */
const given = Effect.gen(function* () {
  const access = yield* AccessPolicy.AccessPolicy
  const { id } = yield* Given.project()
  const [group, other] = [yield* Given.group(id), yield* Given.group(id)]
  return {
    access,
    group,
    other,
    webhook: yield* Given.webhook(id),
    read: yield* access.project("groups.read", id),
    change: yield* access.project("groups.change", id),
    inspect: yield* access.project("project.inspect", id),
    assign: yield* access.project("assignees.read", id),
    administer: yield* access.project("project.administer", id),
    readWebhooks: yield* access.project("webhooks.read", id),
    administerWebhooks: yield* access.project("webhooks.administer", id),
    createProjects: yield* access.instance("projects.create"),
    listProjects: yield* access.instance("projects.list"),
    listApps: yield* access.instance("apps.list"),
    administerApps: yield* access.instance("apps.administer"),
    readUsers: yield* access.instance("users.read"),
    administerUsers: yield* access.instance("users.administer"),
    inspectIngest: yield* access.instance("ingest.inspect"),
    retryIngest: yield* access.instance("ingest.retry"),
    discardIngest: yield* access.instance("ingest.discard"),
    inspectHealth: yield* access.instance("health.inspect"),
  }
})

const asSystem = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.provideService(CurrentActor, Actor.System()), Effect.provide(services))

const unstorable = ["nul \0", "half \ud800 a pair", "\udc00 the other"]
const notStorable = ["contains characters that cannot be stored"]

onStorages("Rules", [
  contractCase(
    "reject text that cannot be stored, in every field",
    Effect.gen(function* () {
      const from = yield* given
      const { administer, administerApps, administerUsers, administerWebhooks, createProjects } = from
      const projects = yield* Projects
      const apps = yield* Apps
      const users = yield* Users
      const webhooks = yield* Webhooks
      const groups = yield* Groups
      const user = { name: "Somebody", emailAddress: "rules@example.com", role: "member" } as const
      for (const text of unstorable) {
        const address = `${text}@example.com`.replaceAll(" ", "")
        const url = `https://hooks.example.com/${text.replaceAll(" ", "")}`
        const refused = {
          name: [
            projects.create(createProjects, { name: text }),
            projects.update(administer, { name: text }),
            projects.list(from.listProjects, { name: text }, first),
            apps.create(administerApps, { name: text }),
            apps.update(administerApps, (yield* Given.app()).id, { name: text }),
            users.create(administerUsers, { ...user, name: text }),
          ],
          platform: [projects.create(createProjects, { name: "Rules", platform: text })],
          timezone: [projects.update(administer, { timezone: text })],
          emailAddress: [users.create(administerUsers, { ...user, emailAddress: address })],
          url: [
            webhooks.create(administerWebhooks, { url, events: ["group.created"] }),
            webhooks.update(administerWebhooks, from.webhook.id, { url }),
          ],
          content: [(yield* Notes).create(from.change, from.group.id, text)],
          origin: [(yield* SourcemapOrigins).create(administer, `https://${text}.example.com`)],
          errorType: [groups.list(from.read, { ...GroupFilter.all, errorType: text }, first)],
          tags: [
            groups.list(from.read, { ...GroupFilter.all, tags: [{ key: text, value: "a" }] }, first),
            groups.list(from.read, { ...GroupFilter.all, tags: [{ key: "a", value: text }] }, first),
          ],
          text: [
            groups.list(from.read, { ...GroupFilter.all, text: [{ words: [text], phrase: false }] }, first),
          ],
        }
        for (const [field, calls] of Object.entries(refused)) {
          for (const [index, call] of calls.entries()) {
            expect([field, index, yield* refusal(call)]).toEqual([field, index, { [field]: notStorable }])
          }
        }
        // No user has such an address.
        expect(yield* refusal(users.findByEmailAddress(from.readUsers, address))).toBe("UserNotFound")
      }
    }).pipe(asSystem),
  ),

  contractCase(
    "find nothing for text that cannot be stored",
    Effect.gen(function* () {
      const { read } = yield* given
      for (const text of unstorable) {
        for (const query of [text, `tags.a:"${text}"`, `error_type:"${text}"`, `"${text}"`]) {
          const filter = yield* GroupListParameters.read({ query }, null)
          expect((yield* (yield* Groups).list(read, filter, first)).items).toEqual([])
        }
      }
    }).pipe(asSystem),
  ),

  contractCase(
    "bound the lengths of texts",
    Effect.gen(function* () {
      const from = yield* given
      const tooLong = (maximum: number) => [`is too long (maximum is ${maximum} characters)`]
      const projects = yield* Projects
      const users = yield* Users
      const long = "x".repeat(201)
      const user = { name: long, emailAddress: `${long}@example.com`, role: "member" } as const
      expect(yield* refusal(users.create(from.administerUsers, user))).toEqual({
        name: tooLong(200),
        emailAddress: ["is not an email address"],
      })
      expect(
        yield* refusal(
          projects.create(from.createProjects, { name: long, platform: "x".repeat(65), timezone: long }),
        ),
      ).toEqual({
        name: tooLong(200),
        platform: ["must be 1 to 64 characters"],
        timezone: ["is not an IANA time zone name"],
      })
      expect(yield* refusal((yield* Apps).create(from.administerApps, { name: long }))).toEqual({
        name: tooLong(200),
      })
      const url = `https://hooks.example.com/${"x".repeat(2_000)}`
      expect(
        yield* refusal((yield* Webhooks).create(from.administerWebhooks, { url, events: ["group.created"] })),
      ).toEqual({ url: tooLong(2_000) })
      expect(yield* refusal((yield* Notes).create(from.change, from.group.id, "x".repeat(10_001)))).toEqual({
        content: tooLong(10_000),
      })
      expect(yield* refusal(GroupListParameters.read({ query: "x".repeat(1_001) }, null))).toEqual({
        query: tooLong(SearchQuery.maxQueryLength),
      })
    }).pipe(asSystem),
  ),

  contractCase(
    "accept only deadlines in the future before year 10000, and positive counts",
    Effect.gen(function* () {
      const { administer, change, group, read } = yield* given
      const groups = yield* Groups
      const projects = yield* Projects
      const { ForReports, Until } = GroupLifecycle.MuteRequest
      const now = yield* DateTime.now
      for (const [until, message] of [
        [now, "must be in the future"],
        [DateTime.subtract(now, { days: 1 }), "must be in the future"],
        [DateTime.makeUnsafe(Date.UTC(10_000, 0)), "must be before the year 10000"],
        [DateTime.makeUnsafe(8_640_000_000_000_000), "must be before the year 10000"],
      ] as const) {
        const refused = { until: [message] }
        expect(yield* refusal(groups.mute(change, group.id, Until({ until })))).toEqual(refused)
        expect(yield* refusal(projects.mute(administer, until))).toEqual(refused)
      }
      for (const occurrences of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1_000_000_001]) {
        expect(yield* refusal(groups.mute(change, group.id, ForReports({ occurrences })))).toEqual({
          occurrences: ["must be a positive integer, at most 1000000000"],
        })
      }
      expect((yield* groups.get(read, group.id)).mute).toBeNull()
      const last = DateTime.makeUnsafe("9999-12-31T23:59:59.999Z")
      yield* groups.mute(change, group.id, Until({ until: last }))
      yield* groups.mute(change, group.id, ForReports({ occurrences: 1_000_000_000 }))
    }).pipe(asSystem),
  ),

  contractCase(
    "accept up to a thousand ids, and skip invalid ones",
    Effect.gen(function* () {
      const { administerApps, administerWebhooks, change, group, other, read, webhook } = yield* given
      const groups = yield* Groups
      const many = Array.from({ length: 1_001 }, (_, i) => 900_000_000_000 + i)
      const bulk = [
        groups.resolveMany,
        groups.unresolveMany,
        groups.muteMany,
        groups.unmuteMany,
        groups.merge,
      ]
      for (const act of bulk) {
        expect(yield* refusal(act(change, group.id, []))).toEqual({ groupIds: ["can't be empty"] })
        expect(yield* refusal(act(change, group.id, many))).toEqual({
          groupIds: ["must have at most 1000 ids"],
        })
        const none = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, ...many.slice(7)]
        expect(yield* refusal(act(change, group.id, none))).toBe("accepted")
      }
      expect(yield* groups.resolveMany(change, group.id, [group.id, 0, group.id, 2 ** 60])).toBe(1)
      expect((yield* groups.get(read, other.id)).resolution).toBeNull()
      const projectIds = many as never
      expect(
        yield* refusal((yield* Apps).create(administerApps, { name: Factory.appName(), projectIds })),
      ).toEqual({ projectIds: ["must have at most 1000 ids"] })
      const events = Array.from({ length: 101 }, () => "group.created")
      expect(yield* refusal((yield* Webhooks).update(administerWebhooks, webhook.id, { events }))).toEqual({
        events: ["must have at most 100 names"],
      })
    }).pipe(asSystem),
  ),

  contractCase(
    "limit the size of every page",
    Effect.gen(function* () {
      const from = yield* given
      const range = { since: null, until: null }
      const any = { event: null, success: null }
      const groups = yield* Groups
      const notes = yield* Notes
      const reports = yield* Reports
      const projects = yield* Projects
      const apps = yield* Apps
      const users = yield* Users
      const members = yield* Members
      const origins = yield* SourcemapOrigins
      const webhooks = yield* Webhooks
      const deliveries = yield* Deliveries
      const deadLetters = yield* DeadLetters
      const lists = {
        groups: (page: Page.PageRequest) => groups.list(from.read, GroupFilter.all, page),
        notes: (page: Page.PageRequest) => notes.list(from.read, from.group.id, page),
        reports: (page: Page.PageRequest) => reports.list(from.read, from.group.id, range, page),
        projects: (page: Page.PageRequest) => projects.list(from.listProjects, { name: null }, page),
        apps: (page: Page.PageRequest) => apps.list(from.listApps, page),
        users: (page: Page.PageRequest) => users.list(from.readUsers, page),
        members: (page: Page.PageRequest) => members.list(from.inspect, page),
        assignees: (page: Page.PageRequest) => members.assignees(from.assign, page),
        origins: (page: Page.PageRequest) => origins.list(from.inspect, page),
        webhooks: (page: Page.PageRequest) => webhooks.list(from.readWebhooks, page),
        deliveries: (page: Page.PageRequest) =>
          deliveries.list(from.readWebhooks, from.webhook.id, any, page),
        deadLetters: (page: Page.PageRequest) => deadLetters.list(from.inspectIngest, page),
      }
      const positive = ["must be a positive integer"]
      for (const [name, list] of Object.entries(lists)) {
        for (const wrong of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
          expect([name, yield* refusal(list({ ...first, limit: wrong }))]).toEqual([
            name,
            { limit: positive },
          ])
          expect([name, yield* refusal(list({ ...first, cursor: wrong }))]).toEqual([
            name,
            { cursor: positive },
          ])
        }
        const { items } = yield* list({ limit: 1e15, cursor: 1e300 })
        expect([name, items.length <= 100]).toEqual([name, true])
      }
      for (let i = 0; i < 101; i++) yield* Given.project()
      expect((yield* lists.projects({ limit: 101, cursor: null })).items).toHaveLength(100)
    }).pipe(asSystem),
  ),

  contractCase(
    "pass only valid times, numbers and ids to the storage",
    Effect.gen(function* () {
      const { discardIngest, group, read, retryIngest } = yield* given
      const groups = yield* Groups
      for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
        for (const field of ["lastOccurredFrom", "lastOccurredTo"]) {
          expect(yield* refusal(groups.list(read, { ...GroupFilter.all, [field]: value }, first))).toEqual({
            [field]: ["must be within the years 0 to 9999"],
          })
        }
        const assignee = { ...GroupFilter.all, assignee: value }
        expect(yield* refusal(groups.list(read, assignee, first))).toEqual({
          assignee: ["must be an integer"],
        })
        const reportsCount = { op: ">", value } as const
        expect(yield* refusal(groups.list(read, { ...GroupFilter.all, reportsCount }, first))).toEqual({
          reportsCount: ["must be an integer"],
        })
        const deadLetters = yield* DeadLetters
        expect(yield* refusal(deadLetters.retry(retryIngest, value))).toBe("DeadLetterNotFound")
        expect(yield* refusal(deadLetters.discard(discardIngest, value))).toBe("DeadLetterNotFound")
      }
      const beyond = DateTime.makeUnsafe(8_640_000_000_000_000)
      for (const range of [
        { since: beyond, until: null },
        { since: null, until: beyond },
      ]) {
        expect(yield* refusal((yield* Reports).list(read, group.id, range, first))).toEqual({
          range: ["must be within the years 0 to 9999"],
        })
      }
    }).pipe(asSystem),
  ),

  contractCase(
    "read the parameters of a list, and name each invalid one",
    Effect.gen(function* () {
      const user = yield* Given.user()
      expect(
        yield* GroupListParameters.read(
          {
            query: "assignee:me is:error",
            status: "unresolved",
            resolved: "0",
            since: "2025-01-02",
            until: "2025-01-03",
          },
          user.id,
        ),
      ).toEqual({
        assignee: user.id,
        severities: ["error"],
        resolved: false,
        lastOccurredFrom: Date.UTC(2025, 0, 2),
        lastOccurredTo: Date.UTC(2025, 0, 4) - 1,
        tags: [],
        text: [],
      })
      const wrong = { status: "open", resolved: "yes", since: "soon", until: "2025-02-30" }
      expect(yield* refusal(GroupListParameters.read(wrong, null))).toEqual({
        status: ["must be unresolved, resolved, muted, unmuted or all"],
        resolved: ["must be true, false, resolved, unresolved, 1 or 0"],
        lastOccurredFrom: [notTimeBound],
        lastOccurredTo: [notTimeBound],
      })
    }),
  ),

  contractCase(
    "read mutes, deadlines and ranges",
    Effect.gen(function* () {
      const day = "2025-01-02"
      const first = DateTime.makeUnsafe(Date.UTC(2025, 0, 2))
      expect(yield* readMute({})).toEqual(GroupLifecycle.MuteRequest.Permanent())
      expect(yield* readMute({ until: day })).toEqual(GroupLifecycle.MuteRequest.Until({ until: first }))
      expect(yield* readMute({ until: day, occurrences: 3 })).toEqual(
        GroupLifecycle.MuteRequest.ForReports({ occurrences: 3 }),
      )
      expect(yield* readDeadline(undefined)).toBeNull()
      expect(yield* readRange({})).toEqual({ since: null, until: null })
      const last = DateTime.makeUnsafe(Date.UTC(2025, 0, 3) - 1)
      expect(yield* readRange({ since: day, until: day })).toEqual({ since: first, until: last })
      const message = [notTimeBound]
      const now = yield* DateTime.now
      expect(yield* readRange({ since: "24h", until: "30m" })).toEqual({
        since: DateTime.subtract(now, { hours: 24 }),
        until: DateTime.subtract(now, { minutes: 30 }),
      })
      expect(yield* readDeadline("2w")).toEqual(DateTime.add(now, { weeks: 2 }))
      expect(yield* GroupListParameters.read({ query: "since:1h", until: "5m" }, null)).toMatchObject({
        lastOccurredFrom: now.epochMilliseconds - 3_600_000,
        lastOccurredTo: now.epochMilliseconds - 300_000,
      })
      expect(yield* refusal(readMute({ until: "soon" }))).toEqual({ until: message })
      expect(yield* refusal(readRange({ since: "soon" }))).toEqual({ range: message })
    }),
  ),
])
