/** Every field of every body and query of the contract, with invalid values. */

import { makeErrataApi } from "@errata/api"
import { type Schema, SchemaAST } from "effect"
import { HttpApi } from "effect/http-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { start, type TestInstance } from "../support/TestInstance.js"
import { httpTarget } from "../support/TestTarget.js"

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly bodyFields: ReadonlyArray<string>
  readonly queryFields: ReadonlyArray<string>
}

const fieldsOf = (schema: Schema.Top | undefined): ReadonlyArray<string> =>
  schema !== undefined && SchemaAST.isObjects(schema.ast)
    ? schema.ast.propertySignatures.map(({ name }) => String(name))
    : []

const endpoints: Array<Endpoint> = []
HttpApi.reflect(makeErrataApi(), {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    endpoints.push({
      method: endpoint.method,
      path: endpoint.path.replace("/api/service/v1", ""),
      bodyFields: fieldsOf(Array.from(endpoint.payload.values())[0]?.schemas[0]),
      queryFields: fieldsOf(endpoint.query),
    })
  },
})
const cases = (fields: "bodyFields" | "queryFields") =>
  endpoints.flatMap((endpoint) =>
    endpoint[fields].map((field) => [endpoint.method, endpoint.path, field] as const),
  )

const nested = (depth: number, open: string, inner: string, close: string) =>
  open.repeat(depth) + inner + close.repeat(depth)

/** As JSON. No field accepts any of them, except for `taken`. */
const wrongValues: ReadonlyArray<readonly [name: string, value: string]> = [
  ["null", "null"],
  ["an object", "{}"],
  ["a fraction", "-1.5"],
  ["a number that is none", "1e999"],
  ["a list of nothing", "[null]"],
  ["a list of objects", "[{}]"],
  ["a list of lists", "[[1]]"],
  ["a long list of fractions", `[${Array(20_000).fill("1.5").join(",")}]`],
  ["a long list of texts", `[${Array(20_000).fill('"x"').join(",")}]`],
  ["a deep list", nested(50_000, "[", "", "]")],
  ["a list of a deep list", nested(50_000, "[", "1", "]")],
  ["a deep object", nested(50_000, '{"a":', "1", "}")],
  ["a long text of nothing", `"${"\\u0000".repeat(30_000)}"`],
]

/** Invalid values that a field accepts nevertheless. */
const taken: Readonly<Record<string, string>> = {
  address: "an object",
  filter: "an object",
  quiet_hours: "null",
  receivers: "an object",
}

const wordsOfLibraries = /Expected|actual|ReadonlyArray|\{ readonly/
const longestAnswer = 2_000

describe("Wrong input", () => {
  let errata: TestInstance
  const ids = new Map<string, number | string>()

  beforeAll(async () => {
    errata = await start({ targets: [httpTarget] })
    const { group_id, id } = await errata.report({ message: "there", tags: { area: "cart" } })
    const project = `/projects/${errata.mine.id}`
    const hook = await errata.api(`${project}/webhooks`, {
      method: "POST",
      body: { url: "https://receiver.example/", events: ["group.created"] },
    })
    const target = await errata.api(`${project}/targets`, {
      method: "POST",
      body: { kind: "test", name: "there", address: { url: "https://receiver.example/" } },
    })
    const rule = { method: "POST", body: { name: "there", triggers: [{ type: "created" }] } }
    const ownRule = await errata.api(`${project}/alert_rules`, rule)
    const defaultRule = await errata.api("/alert_rules", rule)
    ids.set("target_id", target.json.id).set("rule_id", ownRule.json.id)
    ids.set("default_rule_id", defaultRule.json.id)
    const app = await errata.api("/apps", { method: "POST", body: { name: "there" } })
    ids.set("project_id", errata.mine.id).set("user_id", errata.memberId).set("group_id", group_id)
    ids.set("report_id", id)
    ids.set("key", "area")
    ids.set("webhook_id", hook.json.id).set("app_id", app.json.id)
  })
  afterAll(() => errata.stop())

  const filled = (path: string) => path.replace(/:(\w+)/g, (_, name: string) => String(ids.get(name)))

  it("is tested in all of the contract", () => {
    expect(cases("bodyFields").length).toBeGreaterThan(40)
    expect(cases("queryFields").length).toBeGreaterThan(20)
  })

  it.each(cases("bodyFields"))("%s %s %s gets a short error message", async (method, path, field) => {
    for (const [name, value] of wrongValues) {
      const body = `{${JSON.stringify(field)}:${value}}`
      const answer = await errata.api(filled(path), { method, body })
      if (taken[field] === name && answer.status === 200) continue
      expect([name, answer.status]).toEqual([name, 422])
      const told = Object.entries(answer.json.errors).filter(
        // A body that is nested too deep is rejected as a whole.
        ([key]) => key === "base" || key === field || key.startsWith(`${field}.`),
      )
      if (taken[field] !== name) expect(told, name).not.toEqual([])
      for (const [, messages] of told) expect(messages, name).toEqual([expect.any(String)])
      expect(answer.text, name).not.toMatch(wordsOfLibraries)
      expect(answer.text.length, name).toBeLessThan(longestAnswer)
    }
  })

  it.each(cases("queryFields"))("%s %s?%s gets a short error message", async (method, path, field) => {
    const twice = await errata.api(`${filled(path)}?${field}=1&${field}=2`, { method })
    expect(twice.status).toBe(422)
    expect(twice.json.errors).toEqual({ [field]: [expect.any(String)] })
    for (const value of ["", "%00", "-1.5", "[1]", "%22", "x".repeat(10_000), "1".repeat(10_000)]) {
      const { status, text } = await errata.api(`${filled(path)}?${field}=${value}`, { method })
      expect([200, 422], value).toContain(status)
      if (status === 200) continue
      expect(text).not.toMatch(wordsOfLibraries)
      expect(text.length, value).toBeLessThan(longestAnswer)
    }
    expect(twice.text).not.toMatch(wordsOfLibraries)
  })

  it("causes no failure in the log", () => {
    expect(errata.logs.filter((line) => line.includes("Request failed"))).toEqual([])
  })

  it("is reported once for a list, with the name of the list", async () => {
    const group = `/projects/${errata.mine.id}/groups/${ids.get("group_id")}`
    const errors = async (path: string, body: unknown) =>
      (await errata.api(path, { method: "POST", body })).json.errors
    const groupIds = (group_ids: unknown) => errors(`${group}/bulk_resolve`, { group_ids })
    const notIntegers = { group_ids: ["must be an array of integers"] }
    expect(await groupIds([1, "2", null])).toEqual(notIntegers)
    expect(await groupIds({ 0: 1 })).toEqual(notIntegers)
    expect(await groupIds([])).toEqual({ group_ids: ["can't be empty"] })
    // The length is checked first, and the items are not.
    expect(await groupIds(Array(1_001).fill(null))).toEqual({ group_ids: ["must have at most 1000 ids"] })
    expect((await errors("/apps", { name: "new", project_ids: [0] })).project_ids).toEqual([
      "must be an array of positive integers",
    ])
    const url = "https://receiver.example/"
    const hooks = `/projects/${errata.mine.id}/webhooks`
    expect(await errors(hooks, { url, events: [1] })).toEqual({ events: ["must be an array of event names"] })
    expect(await errors(hooks, { url, events: Array(101).fill("x") })).toEqual({
      events: ["must have at most 100 names"],
    })
  })
})
