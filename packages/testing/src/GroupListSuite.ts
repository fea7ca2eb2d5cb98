/** Lists of groups: order, pages, and every condition of a filter. */
import {
  type Group,
  GroupFilter,
  type GroupId,
  type GroupSort,
  type Page,
  type ProjectId,
  SearchQuery,
} from "@errata/core"
import { type GroupLifecycle, GroupStore } from "@errata/core/ports"
import { DateTime, Effect } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, readPages } from "./internal/Paging.js"

const hours = (count: number) => DateTime.add(Factory.noon, { hours: count })

interface Asking {
  readonly now?: DateTime.Utc
  readonly me?: number
  readonly parameters?: GroupFilter.GroupListParameters
}

const listPage = (projectId: ProjectId, query: string, page: Page.PageRequest, asking: Asking = {}) =>
  Effect.flatMap(GroupStore, (groups) => {
    const { me = 0, now = hours(2), parameters = {} } = asking
    const filter = GroupFilter.make(SearchQuery.parse(query), parameters, me, now.epochMilliseconds)
    return groups.list(projectId, filter, page, now)
  })

const all = { limit: 100, cursor: null }

interface Described {
  readonly new?: Partial<GroupLifecycle.NewGroup>
  readonly fields?: Partial<Group>
  readonly tags?: Readonly<Record<string, string>>
}

/** Creates groups by name. Queries return the names of matching groups, oldest first. */
const given = <Name extends string>(described: Readonly<Record<Name, Described>>) =>
  Effect.gen(function* () {
    const store = yield* GroupStore
    const project = yield* Given.project()
    const nameOf = new Map<GroupId, Name>()
    const groups: Array<Group> = []
    for (const name of Object.keys(described) as Array<Name>) {
      const { fields = {}, new: overrides = {}, tags = {} } = described[name]
      const group = yield* Given.group(project.id, overrides, () => fields)
      yield* store.addTagCounts(
        Object.entries(tags).map(([key, value]) => ({
          projectId: project.id,
          groupId: group.id,
          key,
          value,
          count: 1,
        })),
      )
      nameOf.set(group.id, name)
      groups.push(group)
    }
    return {
      projectId: project.id,
      groups,
      find: (query: string, asking: Asking = {}) =>
        Effect.map(listPage(project.id, query, all, asking), ({ items }) =>
          items.map(({ id }) => nameOf.get(id)!).reverse(),
        ),
    }
  })

const mutedUntil = (until: DateTime.Utc): Partial<Group> => ({
  mute: { at: Factory.noon, by: null, condition: { _tag: "Until", until } },
})

const mutedFor = (reportsCount: number): Partial<Group> => ({
  mute: { at: Factory.noon, by: null, condition: { _tag: "UntilReportsCount", reportsCount } },
})

const inherited = (until: DateTime.Utc | null): Partial<Group> => ({
  projectMute: { at: Factory.noon, by: null, until },
})

export const groupListSuite: ContractSuite = {
  name: "GroupStore.list",
  cases: [
    contractCase(
      "lists groups newest first, page by page, during inserts",
      Effect.gen(function* () {
        const { groups, projectId } = yield* given({ a: {}, b: {}, c: {}, d: {}, e: {} })
        yield* Given.group((yield* Given.project()).id)
        const pages = yield* readPages(2, (page) => listPage(projectId, "", page), Given.group(projectId))
        const [a, b, c, d, e] = groups.map(idOf)
        expect(pages.map((page) => page.map(idOf))).toEqual([[e, d], [c, b], [a]])
      }),
    ),

    contractCase(
      "finds the keys of a project's tags in any case",
      Effect.gen(function* () {
        const { projectId } = yield* given({
          a: { tags: { tenant: "acme", Zone: "eu" } },
          b: { tags: { zone: "us", 'ÄRGER "x"': "y", tenant: "other" } },
        })
        const other = yield* given({ a: { tags: { plan: "free" } } })
        const store = yield* GroupStore
        expect(yield* store.tagKeys(projectId, ["TENANT", "zone", 'ärger "X"', "plan"])).toEqual([
          "Zone",
          "tenant",
          "zone",
        ])
        expect(yield* store.tagKeys(projectId, ['Ärger "X"'])).toEqual(['ÄRGER "x"'])
        expect(yield* store.tagKeys(projectId, [])).toEqual([])
        expect(yield* store.tagKeys(other.projectId, ["plan", "tenant"])).toEqual(["plan"])
      }),
    ),

    contractCase(
      "fills the pages of a filtered list",
      Effect.gen(function* () {
        const { groups, projectId } = yield* given({
          a: { tags: { region: "eu" } },
          b: {},
          c: { tags: { region: "eu" } },
          d: {},
          e: {},
          f: { tags: { region: "eu" } },
        })
        const pages = yield* readPages(2, (page) => listPage(projectId, "tags.region:eu", page))
        const [a, , c, , , f] = groups.map(idOf)
        expect(pages.map((page) => page.map(idOf))).toEqual([[f, c], [a]])
      }),
    ),

    contractCase(
      "ends a list whose last page is full",
      Effect.gen(function* () {
        const { projectId } = yield* given({ a: {}, b: {} })
        const page = yield* listPage(projectId, "", { limit: 2, cursor: null })
        expect([page.items.length, page.nextCursor]).toEqual([2, null])
        const empty = yield* listPage((yield* Given.project()).id, "", all)
        expect(empty).toEqual({ items: [], nextCursor: null })
      }),
    ),

    contractCase(
      "counts the groups of a list, up to a limit",
      Effect.gen(function* () {
        const { groups, projectId } = yield* given({
          a: { tags: { region: "eu" } },
          b: { fields: { severity: "fatal" } },
          c: { new: { errorMessage: "unheard of" } },
          d: {},
        })
        const store = yield* GroupStore
        const count = (query: string, limit: number) =>
          store.count(
            projectId,
            GroupFilter.make(SearchQuery.parse(query), {}, 0, Factory.noon.epochMilliseconds),
            limit,
            Factory.noon,
          )
        for (const limit of [1, 3, 4]) expect(yield* count("", limit)).toBe(limit)
        expect(yield* count("", 100)).toBe(4)
        expect(yield* count("severity:fatal", 100)).toBe(1)
        yield* Given.merge(groups[3]!, groups[0]!)
        yield* Given.merge(groups[3]!, groups[2]!)
        expect(yield* count("", 100)).toBe(2)
        expect(yield* count("tags.region:eu", 100)).toBe(1)
        expect(yield* count("unheard tags.region:eu", 100)).toBe(1)
        expect(yield* count("severity:fatal unheard", 100)).toBe(0)
        expect(yield* store.count(projectId, { ...GroupFilter.all, severities: [] }, 9, Factory.noon)).toBe(0)
      }),
    ),

    contractCase(
      "returns groups with all fields, except the evidence of their grouping",
      Effect.gen(function* () {
        const { groups, projectId } = yield* given({
          a: { fields: { ...mutedUntil(hours(3)), reportsCount: 7 } },
        })
        const { items } = yield* listPage(projectId, "", all)
        const { data: _, ...grouping } = groups[0]!.grouping
        expect(items[0]!.grouping).toMatchObject(grouping)
        expect({ ...items[0], grouping }).toEqual({ ...groups[0], grouping })
      }),
    ),

    contractCase(
      "filters by resolution",
      Effect.gen(function* () {
        const { find } = yield* given({
          open: {},
          resolved: { fields: { resolution: { at: Factory.noon, by: null, inRelease: null } } },
        })
        expect(yield* find("is:unresolved")).toEqual(["open"])
        expect(yield* find("is:resolved")).toEqual(["resolved"])
      }),
    ),

    contractCase(
      "filters by mutes in effect at the time of reading",
      Effect.gen(function* () {
        const { find } = yield* given({
          loud: {},
          permanent: { fields: { mute: { at: Factory.noon, by: null, condition: { _tag: "Permanent" } } } },
          timed: { fields: mutedUntil(hours(1)) },
          counted: { fields: { ...mutedFor(10), reportsCount: 9 } },
          reached: { fields: { ...mutedFor(10), reportsCount: 10 } },
          inherited: { fields: inherited(null) },
          inheritedTimed: { fields: inherited(hours(1)) },
          both: { fields: { ...mutedUntil(hours(1)), ...inherited(null) } },
        })
        const before = { now: DateTime.subtract(hours(1), { milliseconds: 1 }) }
        expect(yield* find("is:unmuted", before)).toEqual(["loud", "reached"])
        expect(yield* find("is:muted", before)).toEqual([
          "permanent",
          "timed",
          "counted",
          "inherited",
          "inheritedTimed",
          "both",
        ])
        expect(yield* find("is:muted", { now: hours(1) })).toEqual([
          "permanent",
          "counted",
          "inherited",
          "both",
        ])
        expect(yield* find("is:unmuted", { now: hours(1) })).toEqual([
          "loud",
          "timed",
          "reached",
          "inheritedTimed",
        ])
      }),
    ),

    contractCase(
      "filters by severity",
      Effect.gen(function* () {
        const { find, projectId } = yield* given({
          debug: { fields: { severity: "debug" } },
          info: { fields: { severity: "info" } },
          warning: { fields: { severity: "warning" } },
          error: { fields: { severity: "error" } },
          fatal: { fields: { severity: "fatal" } },
        })
        expect(yield* find("is:warning")).toEqual(["warning"])
        expect(yield* find("severity:fatal,info")).toEqual(["info", "fatal"])
        expect(yield* find("!is:error,fatal")).toEqual(["debug", "info", "warning"])
        const groups = yield* GroupStore
        const contradiction = { ...GroupFilter.all, severities: [] }
        expect((yield* groups.list(projectId, contradiction, all, hours(2))).items).toEqual([])
      }),
    ),

    contractCase(
      "filters by error type, exactly",
      Effect.gen(function* () {
        const { find } = yield* given({
          type: { new: { errorType: "TypeError" } },
          lower: { new: { errorType: "typeerror" } },
          longer: { new: { errorType: "TypeErrorWrapper" } },
        })
        expect(yield* find("error_type:TypeError")).toEqual(["type"])
      }),
    ),

    contractCase(
      "filters by assignee",
      Effect.gen(function* () {
        const { id: a } = yield* Given.user()
        const { id: b } = yield* Given.user()
        const { find } = yield* given({
          none: {},
          mine: { fields: { assigneeId: a } },
          theirs: { fields: { assigneeId: b } },
        })
        expect(yield* find("assignee:none")).toEqual(["none"])
        expect(yield* find("assignee:me", { me: a })).toEqual(["mine"])
        expect(yield* find(`assignee:${b}`)).toEqual(["theirs"])
      }),
    ),

    contractCase(
      "filters by the number of reports",
      Effect.gen(function* () {
        const { find } = yield* given({
          one: { fields: { reportsCount: 1 } },
          two: { fields: { reportsCount: 2 } },
          three: { fields: { reportsCount: 3 } },
        })
        for (const [query, expected] of [
          ["2", ["two"]],
          [">2", ["three"]],
          [">=2", ["two", "three"]],
          ["<2", ["one"]],
          ["<=2", ["one", "two"]],
        ] as const) {
          expect(yield* find(`reports_count:${query}`)).toEqual(expected)
        }
      }),
    ),

    contractCase(
      "filters by the last occurrence, its bounds included",
      Effect.gen(function* () {
        const { find } = yield* given({
          first: { fields: { lastOccurredAt: hours(1) } },
          second: { fields: { lastOccurredAt: hours(2) } },
          third: { fields: { lastOccurredAt: DateTime.add(hours(2), { milliseconds: 1 }) } },
        })
        const bound = DateTime.formatIso(hours(2))
        expect(yield* find(`since:${bound}`)).toEqual(["second", "third"])
        expect(yield* find(`until:${bound}`)).toEqual(["first", "second"])
        expect(yield* find(`since:${bound} until:${bound}`)).toEqual(["second"])
      }),
    ),

    contractCase(
      "filters by tags, and requires all of them",
      Effect.gen(function* () {
        const long = "v".repeat(2048)
        const { find, groups, projectId } = yield* given({
          eu: { tags: { region: "eu", server_name: "web-1", environment: "production", release: "1.0" } },
          us: { tags: { region: "us", server_name: "web-1", "odd key": `"'\\{},%_ ü` } },
          long: { tags: { region: long } },
          none: {},
        })
        expect(yield* find("tags.region:eu")).toEqual(["eu"])
        expect(yield* find("tags.region:EU")).toEqual([])
        expect(yield* find("tags.region:e")).toEqual([])
        expect(yield* find("server_name:web-1")).toEqual(["eu", "us"])
        expect(yield* find("server_name:web-1 tags.region:us")).toEqual(["us"])
        expect(yield* find("environment:production release:1.0")).toEqual(["eu"])
        expect(yield* find("environment:production tags.region:us")).toEqual([])
        expect(yield* find(`tags."odd key":"\\"'\\\\{},%_ ü"`)).toEqual(["us"])
        expect(yield* find(`tags.region:${long.slice(1)}`)).toEqual([])
        const groupStore = yield* GroupStore
        const byLong = { tags: [{ key: "region", value: long }], text: [] }
        const found = yield* groupStore.list(projectId, byLong, all, hours(2))
        expect(found.items.map(idOf)).toEqual([groups[2]!.id])
        // Repeated tags are counted, not rejected.
        const again = { projectId, groupId: groups[0]!.id, key: "region", value: "eu", count: 3 }
        yield* groupStore.addTagCounts([again, { ...again, value: "us" }])
        expect(yield* find("tags.region:us")).toEqual(["eu", "us"])
      }),
    ),

    contractCase(
      "filters by text in type, message and culprit",
      Effect.gen(function* () {
        const { find } = yield* given({
          pointer: { new: { errorType: "NullPointerException", errorMessage: "name is null" } },
          reset: { new: { errorMessage: "read: Connection reset by peer", culprit: "net/socket in read" } },
          timeout: { new: { errorMessage: "connection timed out after 30s", culprit: "net/http in get" } },
          unicode: { new: { errorMessage: "Ünïcode façade 東京 failed" } },
        })
        expect(yield* find("connection")).toEqual(["reset", "timeout"])
        expect(yield* find("conn")).toEqual(["reset", "timeout"])
        expect(yield* find("connection http")).toEqual(["timeout"])
        expect(yield* find('"connection reset"')).toEqual(["reset"])
        expect(yield* find('"connection timed"')).toEqual(["timeout"])
        expect(yield* find('"reset connection"')).toEqual([])
        expect(yield* find('"conn reset"')).toEqual([])
        expect(yield* find("pointerexception")).toEqual(["pointer"])
        expect(yield* find("exception")).toEqual(["pointer"])
        expect(yield* find("net/socket")).toEqual(["reset"])
        expect(yield* find("FAÇADE")).toEqual(["unicode"])
        expect(yield* find("東京")).toEqual(["unicode"])
        expect(yield* find("nothing")).toEqual([])
      }),
    ),

    contractCase(
      "finds by text what the core's text index finds",
      Effect.gen(function* () {
        const texts = [
          "can't read property 'x' of undefined",
          "SELECT * FROM users WHERE a = 'b' & c | !d <-> (e):*",
          "back\\slash and \"quotes\" and 'single'",
          "HTTPError 404: /api/v1/users?id=42",
          "user@example.test said: 50% off!",
          "東京タワー and ﬁne print",
          "naïve Straße İstanbul",
          "()|&! 🦆🦆 %%% '\\ <->",
          "",
        ]
        const queries = [
          ...texts.flatMap((text) => [text, ...text.split(" ")]),
          ...["x", "propert", '"of undefined"', "error", "404", "v1", "users id", "a b", "tower", "strasse"],
          ...["'", "&", "|", "!d", "<->", "(e)", ":*", "\\", "%", "_", "ee", "quotes and", '"quotes and"'],
          ...["%%%", '"%%"', "%%%%", "|&", "&|", '"()|&!"', "🦆", '"🦚"', "'\\", "\\'", '"<-> %"', "\0"],
        ]
        const project = yield* Given.project()
        const groups: Array<Group> = []
        for (const text of texts) {
          groups.push(yield* Given.group(project.id, { errorMessage: text, errorType: "", culprit: text }))
        }
        for (const query of queries) {
          const { text } = SearchQuery.parse(query)
          const filter = { tags: [], text }
          const expected = groups
            .filter((group) => GroupFilter.matchesGroup(filter, group, () => false, 0))
            .map(idOf)
          const store = yield* GroupStore
          const { items } = yield* store.list(project.id, filter, all, Factory.noon)
          expect({ query, found: items.map(idOf).reverse() }).toEqual({ query, found: expected })
        }
      }),
    ),

    contractCase(
      "restricts a list to given groups, in every order, with all other conditions",
      Effect.gen(function* () {
        const store = yield* GroupStore
        const foreign = yield* Given.group((yield* Given.project()).id)
        const { groups, projectId } = yield* given({
          a: { new: { errorMessage: "checkout" }, tags: { k: "v" } },
          b: { fields: { resolution: { at: Factory.noon, by: null, inRelease: null } } },
          c: { new: { errorMessage: "payment" } },
          merged: { new: { errorMessage: "refund" }, tags: { k: "w" } },
          e: { new: { errorMessage: "checkout" } },
        })
        const [a, b, c, merged, e] = groups.map(idOf)
        yield* Given.merge(groups[2]!, groups[3]!)
        const ids = [c!, a!, foreign.id, merged!, b!, a!]
        const list = (filter: Partial<GroupFilter.GroupFilter>, page: Page.PageRequest = all) =>
          Effect.map(
            store.list(projectId, { ...GroupFilter.all, ids, ...filter }, page, hours(2)),
            ({ items }) => items.map(idOf),
          )
        const text = (word: string) => [{ words: [word], phrase: false }]
        expect(yield* list({})).toEqual([c, b, a])
        expect(yield* list({ ids: [] })).toEqual([])
        expect(yield* list({ resolved: false })).toEqual([c, a])
        expect(yield* list({ severities: [] })).toEqual([])
        expect(yield* list({ text: text("checkout") })).toEqual([a])
        expect(yield* list({ text: text("refund") })).toEqual([c])
        expect(yield* list({ tags: [{ key: "k", value: "w" }] })).toEqual([c])
        expect(yield* list({ tags: [{ key: "k", value: "v" }], ids: [e!, a!] })).toEqual([a])
        for (const sort of ["last_seen", "reports_count", "users_count"] as const) {
          const pages = yield* readPages(1, (page) =>
            store.list(projectId, { ...GroupFilter.all, ids }, { ...page, sort }, hours(2)),
          )
          expect(pages.flat().map(idOf)).toEqual([c, b, a])
        }
        const pages = yield* readPages(2, (page) =>
          store.list(projectId, { ...GroupFilter.all, ids }, page, hours(2)),
        )
        expect(pages.map((page) => page.map(idOf))).toEqual([[c, b], [a]])
        expect(yield* store.count(projectId, { ...GroupFilter.all, ids }, 10, hours(2))).toBe(3)
        expect(yield* store.count(projectId, { ...GroupFilter.all, ids, resolved: true }, 10, hours(2))).toBe(
          1,
        )
      }),
    ),

    contractCase(
      "restricts a list to groups that were created or resolved since a time",
      Effect.gen(function* () {
        const store = yield* GroupStore
        const { id: projectId } = yield* Given.project()
        const start = (yield* DateTime.now).epochMilliseconds
        const resolvedAt = (hour: number) => () => ({
          resolution: { at: hours(hour), by: null, inRelease: null },
        })
        const made: Array<Group["id"]> = []
        for (const change of [resolvedAt(2), undefined, resolvedAt(0), resolvedAt(1)]) {
          made.push((yield* Given.group(projectId, {}, change)).id)
          yield* advance("1 hour")
        }
        const [a, b, c, d] = made
        const list = (filter: Partial<GroupFilter.GroupFilter>, sort?: GroupSort.GroupSort) =>
          Effect.map(
            store.list(
              projectId,
              { ...GroupFilter.all, ...filter },
              { ...all, ...(sort === undefined ? {} : { sort }) },
              hours(9),
            ),
            ({ items }) => items.map(idOf),
          )
        const createdFrom = start + 3_600_000
        expect(yield* list({ createdFrom })).toEqual([d, c, b])
        expect(yield* list({ createdFrom: createdFrom + 1 })).toEqual([d, c])
        expect(yield* list({ createdFrom, resolved: false })).toEqual([b])
        expect(yield* list({ createdFrom: start + 9 * 3_600_000 })).toEqual([])
        const resolvedFrom = hours(1).epochMilliseconds
        expect(yield* list({ resolvedFrom })).toEqual([d, a])
        expect(yield* list({ resolvedFrom: resolvedFrom + 1 })).toEqual([a])
        expect(yield* list({ resolvedFrom, createdFrom })).toEqual([d])
        expect(yield* list({ resolvedFrom, resolved: false })).toEqual([])
        expect(yield* list({ createdFrom }, "reports_count")).toEqual([d, c, b])
        expect(yield* list({ resolvedFrom, ids: [a!, b!] }, "last_seen")).toEqual([a])
        expect(yield* store.count(projectId, { ...GroupFilter.all, createdFrom }, 10, hours(9))).toBe(3)
      }),
    ),

    contractCase(
      "filters by all conditions together",
      Effect.gen(function* () {
        const match: Described = {
          new: { errorType: "TypeError", errorMessage: "boom in cart" },
          fields: { severity: "fatal", reportsCount: 5, lastOccurredAt: hours(1) },
          tags: { region: "eu", server_name: "web-1" },
        }
        const { find } = yield* given({
          match,
          resolved: {
            ...match,
            fields: { ...match.fields!, resolution: { at: Factory.noon, by: null, inRelease: null } },
          },
          muted: { ...match, fields: { ...match.fields!, ...inherited(null) } },
          mild: { ...match, fields: { ...match.fields!, severity: "info" } },
          elsewhere: { ...match, tags: { region: "us", server_name: "web-1" } },
          otherText: { ...match, new: { errorType: "TypeError", errorMessage: "boom in shop" } },
        })
        const query = "is:unmuted severity:fatal tags.region:eu server_name:web-1"
        expect(
          yield* find(
            `${query} error_type:TypeError assignee:none reports_count:>=5 since:2025-06-15 "in cart"`,
            { parameters: { status: "unresolved" } },
          ),
        ).toEqual(["match"])
      }),
    ),
  ],
}
