import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { type Wire, word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

interface List {
  readonly key: string
  readonly row: string
  /** A list of at least five items, and a function that adds one. */
  readonly given: (wire: Wire) => Promise<{ readonly path: string; readonly add: () => Promise<unknown> }>
}

const withItems = async (path: string, add: () => Promise<unknown>, count = 5) => {
  for (let i = 0; i < count; i++) await add()
  return { path, add }
}

const lists: ReadonlyArray<List> = [
  {
    key: "projects",
    row: "GET /projects",
    given: (wire) => withItems("/projects", () => Given.project(wire)),
  },
  {
    key: "groups",
    row: "GET /projects/{project_id}/groups",
    given: async (wire) => {
      const project = await Given.project(wire)
      return withItems(`${project.path}/groups`, () => Given.group(wire, project))
    },
  },
  {
    key: "reports",
    row: "GET /projects/{project_id}/groups/{group_id}/reports",
    given: async (wire) => {
      const project = await Given.project(wire)
      const type = word("Paged")
      const group = await Given.group(wire, project, Given.failure({}, type))
      return withItems(`${group.path}/reports`, () => Given.again(wire, project, type))
    },
  },
  {
    key: "merges",
    row: "GET /projects/{project_id}/groups/{group_id}/merges",
    given: async (wire) => {
      const project = await Given.project(wire)
      const { path } = await Given.group(wire, project)
      return withItems(`${path}/merges`, async () => {
        const { id } = await Given.group(wire, project)
        await wire.admin.post(`${path}/bulk_merge`, { group_ids: [id] }, 200)
      })
    },
  },
  {
    key: "releases",
    row: "GET /projects/{project_id}/releases",
    given: async (wire) => {
      const project = await Given.project(wire)
      return withItems(`${project.path}/releases`, () =>
        Given.report(wire, project, { ...Given.failure(), release: word("shop@1.0.0+") }),
      )
    },
  },
  {
    key: "artifact_bundles",
    row: "GET /projects/{project_id}/artifact_bundles",
    given: async (wire) => {
      const project = await Given.project(wire)
      return withItems(`${project.path}/artifact_bundles`, () =>
        Given.artifact(wire, project, { name: `~/${word()}.js`, content: "f()" }),
      )
    },
  },
  {
    key: "notes",
    row: "GET /projects/{project_id}/groups/{group_id}/notes",
    given: async (wire) => {
      const group = await Given.group(wire, await Given.project(wire))
      const path = `${group.path}/notes`
      return withItems(path, () => wire.admin.post(path, { content: "one more" }, 201))
    },
  },
  {
    key: "webhooks",
    row: "GET /projects/{project_id}/webhooks",
    given: async (wire) => {
      const path = `${(await Given.project(wire)).path}/webhooks`
      const body = { url: "https://hooks.example.com", events: ["group.created"] }
      return withItems(path, () => wire.admin.post(path, body, 201))
    },
  },
  {
    key: "notifications",
    row: "GET /projects/{project_id}/notifications",
    given: async (wire) => {
      const { path } = await Given.project(wire)
      const { field, kind } = wire.target.receiver
      const address = { [field]: "http://127.0.0.1:9/paged" }
      const { id } = await wire.admin.post(`${path}/targets`, { kind, name: "Chat", address }, 201)
      return withItems(`${path}/notifications`, () =>
        wire.admin.post(`${path}/targets/${id}/test`, undefined, 200),
      )
    },
  },
  {
    key: "hosted_sourcemap_origins",
    row: "GET /projects/{project_id}/hosted_sourcemap_origins",
    given: async (wire) => {
      const path = `${(await Given.project(wire)).path}/hosted_sourcemap_origins`
      return withItems(path, () => wire.admin.post(path, { origin: `https://${word()}.example.com` }, 201))
    },
  },
  {
    key: "apps",
    row: "GET /apps",
    given: (wire) => withItems("/apps", () => wire.admin.post("/apps", { name: word("app ") }, 201)),
  },
]

/** Fetches every page from the first to the last. `between` runs after each. */
const walk = async (wire: Wire, path: string, key: string, limit: number, between?: () => void) => {
  const ids: Array<number> = []
  for (let cursor: number | null = null; ; ) {
    const page: Json = await wire.admin.get(path, { limit, ...(cursor === null ? {} : { cursor }) })
    expect(Object.keys(page).sort()).toEqual([key, "has_more", "next_cursor"].sort())
    const found = page[key].map(({ id }: Json) => id)
    ids.push(...found)
    expect(page.has_more).toBe(page.next_cursor !== null)
    if (!page.has_more) return ids
    expect(found).toHaveLength(limit)
    expect(page.next_cursor).toBe(found.at(-1))
    cursor = page.next_cursor
    between?.()
  }
}

const descending = (ids: ReadonlyArray<number>) => ids.toSorted((a, b) => b - a)

export const pagingWire: WireFile = {
  name: "Paging",
  cases: [
    ...lists.map(({ given, key }) =>
      wireCase(`${key} come newest first, each once, also while more arrive`, async (wire) => {
        const { add, path } = await given(wire)
        const before = await walk(wire, path, key, 100)
        expect(before.length).toBeGreaterThanOrEqual(5)
        expect(before).toEqual(descending([...new Set(before)]))
        const arriving: Array<Promise<unknown>> = []
        const limit = Math.max(2, Math.ceil(before.length / 4))
        const walked = await walk(wire, path, key, limit, () => {
          if (arriving.length < 4) arriving.push(add(), add())
        })
        await Promise.all(arriving)
        expect(await walk(wire, path, key, 100)).toHaveLength(before.length + arriving.length)
        // Items that were added meanwhile are newer than all that remained.
        expect(walked).toEqual(before)
      }),
    ),

    ...[
      { key: "users", row: "GET /users", path: async () => "/users" },
      {
        key: "users",
        row: "GET /projects/{project_id}/users",
        path: async (wire: Wire) => `${(await Given.project(wire, [wire.member, wire.stranger])).path}/users`,
      },
      {
        key: "assignees",
        row: "GET /projects/{project_id}/assignees",
        path: async (wire: Wire) =>
          `${(await Given.project(wire, [wire.member, wire.stranger])).path}/assignees`,
      },
    ].map(({ key, path: pathOf, row }) =>
      wireCase(`${row.slice(4)} come newest first, each once`, async (wire) => {
        const path = await pathOf(wire)
        const all = await walk(wire, path, key, 100)
        expect(all.length).toBeGreaterThanOrEqual(3)
        expect(await walk(wire, path, key, 1)).toEqual(all)
        expect(all).toEqual(descending([...new Set(all)]))
      }),
    ),

    wireCase("has 25 items a page by default, and 100 at most", async (wire) => {
      const { admin } = wire
      const group = await Given.group(wire, await Given.project(wire))
      const path = `${group.path}/notes`
      const content = { content: "one of many" }
      for (let i = 0; i < 104; i++) await admin.post(path, content, 201)
      const page = async (query: Record<string, string | number>) => {
        const { notes, ...rest } = await admin.get(path, query)
        return { count: notes.length, last: notes.at(-1)?.id ?? null, ...rest }
      }
      expect(await page({})).toMatchObject({ count: 25, has_more: true })
      expect(await page({ limit: 26 })).toMatchObject({ count: 26, has_more: true })
      for (const limit of [100, 101, 5000, "00100", "99999999999999999999999"]) {
        const hundred = await page({ limit })
        expect(hundred).toMatchObject({ count: 100, has_more: true, next_cursor: hundred.last })
      }
      const { last } = await page({ limit: 100 })
      expect(await page({ cursor: last, limit: 4 })).toMatchObject({
        count: 4,
        has_more: false,
        next_cursor: null,
      })
      expect(await page({ cursor: last, limit: 3 })).toMatchObject({ count: 3, has_more: true })
      expect(await page({ cursor: 1 })).toMatchObject({ count: 0, has_more: false, next_cursor: null })
      expect(await page({ cursor: "99999999999999999999999" })).toMatchObject({ count: 25 })
    }),

    wireCase("refuses a limit or a cursor that is no positive integer, in every list", async (wire) => {
      const { admin, schemas } = wire
      const project = await Given.project(wire)
      const group = await Given.group(wire, project, Given.failure({ tags: { region: "eu" } }))
      const body = { url: "https://hooks.example.com", events: ["group.created"] }
      const webhook = await admin.post(`${project.path}/webhooks`, body, 201)
      const ids: Readonly<Record<string, number | string>> = {
        project_id: project.id,
        group_id: group.id,
        webhook_id: webhook.id,
        key: "region",
      }
      const paged = schemas.operations.filter(({ definition }) =>
        definition.parameters?.some(({ name }: Json) => name === "cursor"),
      )
      expect(paged.map(({ template }) => `GET ${template}`).sort()).toEqual(
        [
          ...lists.map(({ row }) => row),
          "GET /users",
          "GET /dead_letters",
          "GET /groups",
          "GET /projects/{project_id}/groups/{group_id}/tags/{key}",
          "GET /data_retention/runs",
          "GET /projects/{project_id}/users",
          "GET /projects/{project_id}/assignees",
          "GET /projects/{project_id}/webhooks/{webhook_id}/deliveries",
        ].sort(),
      )
      for (const { template } of paged) {
        const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name]))
        for (const wrong of ["0", "-1", "1.5", "abc", "", "+5", "1e2", "0x10", " 1", "null", "١"]) {
          await admin.refused("GET", path, { query: { limit: wrong } }, "limit")
          await admin.refused("GET", path, { query: { cursor: wrong } }, "cursor")
        }
        await admin.refused("GET", `${path}?limit=1&limit=2`, {}, "limit")
      }
    }),
  ],
}
