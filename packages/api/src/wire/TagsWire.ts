import { expect } from "vitest"
import * as Given from "./Given.js"
import { word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const tagsWire: WireFile = {
  name: "Tags",
  cases: [
    wireCase("count the reports of a group and of groups merged into it", async (wire) => {
      const project = await Given.project(wire, [wire.member])
      const type = word("Tagged")
      const tagged = (region: string, more: object = {}) =>
        Given.failure({ environment: "production", tags: { region, ...more } }, type)
      const group = await Given.group(wire, project, tagged("eu", { "odd/key ü": "a b" }))
      await Given.reports(wire, project, [tagged("eu"), tagged("us")])
      const other = await Given.group(wire, project, Given.failure({ tags: { region: "us" } }))
      const tags = `${group.path}/tags`
      const value = (value: string, reports_count: number) => ({ value, reports_count })
      const of = (key: string, reports_count: number, ...values: ReadonlyArray<object>) => ({
        key,
        reports_count,
        values_count: values.length,
        values_count_capped: false,
        values,
      })
      const own = [
        of("environment", 3, value("production", 3)),
        of("region", 3, value("eu", 2), value("us", 1)),
        of("odd/key ü", 1, value("a b", 1)),
      ]
      expect((await wire.member.get(tags)).tags).toEqual(own)
      await wire.admin.post(`${group.path}/bulk_merge`, { group_ids: [other.id] }, 200)
      expect((await wire.member.get(tags)).tags).toEqual([
        of("region", 4, value("eu", 2), value("us", 2)),
        own[0],
        own[2],
      ])
      const first = await wire.member.get(`${tags}/region`, { limit: 1 })
      expect(first).toEqual({ values: [value("eu", 2)], next_cursor: 1, has_more: true })
      expect(await wire.member.get(`${tags}/region`, { cursor: first.next_cursor })).toEqual({
        values: [value("us", 2)],
        next_cursor: null,
        has_more: false,
      })
      const odd = await wire.member.get(`${tags}/${encodeURIComponent("odd/key ü")}`)
      expect(odd.values).toEqual([value("a b", 1)])
      await wire.member.get(`${tags}/nothing`, {}, 404)
      await wire.member.get(`${other.path}/tags`, {}, 404)
      const [merge] = (await wire.admin.get(`${group.path}/merges`)).merges
      await wire.admin.delete(`${group.path}/merges/${merge.id}`)
      expect((await wire.member.get(tags)).tags).toEqual(own)
      expect((await wire.member.get(`${other.path}/tags`)).tags).toEqual([of("region", 1, value("us", 1))])
    }),

    wireCase("complete keys and values", async (wire) => {
      const project = await Given.project(wire, [wire.member])
      const tagged = (browser: string) => Given.failure({ release: "shop@1", tags: { browser } })
      await Given.groups(wire, project, ["Firefox", "Firefox Mobile", "Firefox Mobile", "Chrome"].map(tagged))
      const tags = `${project.path}/tags`
      expect(await wire.member.get(tags)).toEqual({ tags: [{ key: "browser" }, { key: "release" }] })
      const values = async (query: Record<string, string | number>) =>
        (await wire.member.get(`${tags}/browser/values`, query)).values
      expect(await values({})).toEqual(["Firefox Mobile", "Chrome", "Firefox"])
      expect(await values({ prefix: "fire" })).toEqual(["Firefox Mobile", "Firefox"])
      expect(await values({ prefix: "fire", limit: 1 })).toEqual(["Firefox Mobile"])
      expect(await values({ prefix: "%" })).toEqual([])
      expect(await values({ limit: 1_000 })).toHaveLength(3)
      expect((await wire.member.get(`${tags}/release/values`)).values).toEqual(["shop@1"])
      await wire.member.get(`${tags}/nothing/values`, {}, 404)
      await wire.member.refused(
        "GET",
        `${tags}/browser/values`,
        { query: { prefix: "x".repeat(201) } },
        "prefix",
      )
      await wire.member.refused("GET", `${tags}/browser/values`, { query: { limit: 0 } }, "limit")
    }),
  ],
}
