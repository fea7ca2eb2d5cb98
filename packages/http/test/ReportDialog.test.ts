/** The report dialog of browser SDKs, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as FixedMinute from "./support/FixedMinute.js"
import { start, type TestInstance } from "./support/TestInstance.js"

const eventId = "a".repeat(32)
const hostile = `"><img src=x onerror=alert(1)></script><script>alert(1)</script>\u2028\${alert(1)}`

describe.each(["node", "web"] as const)("The report dialog (%s)", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport, dsnPrefixes: ["/sentry"] }, FixedMinute.layer())
  })
  afterAll(() => errata.stop())

  const dsnOf = (token: string = errata.mine.token, id: number | string = errata.mine.id) =>
    `https://${token}@errors.example/sentry/${id}`
  const path = (query: Record<string, string> = {}) =>
    `/api/embed/error-page/?${new URLSearchParams({ dsn: dsnOf(), eventId, ...query })}`
  const post = (fields: Record<string, string>, to = path()) =>
    errata.fetch(to, { method: "POST", body: new URLSearchParams(fields) })
  const notesOf = async (id: string) => {
    const report = (await errata.api(`/projects/${errata.mine.id}/reports/${id}`)).json
    const group = `/projects/${errata.mine.id}/groups/${report.group_id}`
    return (await errata.api(`${group}/notes`)).json.notes
  }

  it("is the same script for all options, for pages of every origin", async () => {
    const plain = await errata.fetch(path())
    expect(plain.status).toBe(200)
    expect(Object.fromEntries(plain.headers)).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      "x-content-type-options": "nosniff",
    })
    const options = { title: hostile, subtitle: hostile, name: hostile, email: hostile, labelSubmit: hostile }
    expect((await errata.fetch(path(options))).text).toBe(plain.text)
    expect((await errata.fetch(path().replace("error-page/", "error-page"))).text).toBe(plain.text)
    // The SDK does not encode the DSN.
    const asSent = `/sentry/api/embed/error-page/?dsn=${dsnOf()}&eventId=${eventId}&onLoad=()%20%3D%3E%20%7B%7D`
    expect((await errata.fetch(asSent)).text).toBe(plain.text)
    const head = await errata.fetch(path(), { method: "HEAD" })
    expect([head.status, head.text]).toEqual([200, ""])
  })

  it("becomes a note of the affected user on the group of the event", async () => {
    const id = "b".repeat(32)
    await errata.report({ event_id: id, message: "The cart is empty" })
    const fields = { name: "Ada Example", email: "ada@example.com", comments: `I pressed Order\n${hostile}` }
    const answer = await post(fields, path({ eventId: `${id.slice(0, 8)}-bbbb-bbbb-bbbb-${id.slice(20)}` }))
    expect([answer.status, answer.json]).toEqual([200, { id }])
    expect(answer.headers.get("access-control-allow-origin")).toBe("*")
    await errata.record()
    const [note] = await notesOf(id)
    for (const text of Object.values(fields)) expect(note.content).toContain(text.split("\n")[0])
  })

  it("accepts a report without a name and an email address", async () => {
    const id = "c".repeat(32)
    await errata.report({ event_id: id, message: "The cart is full" })
    expect((await post({ comments: "Nothing happened" }, path({ eventId: id }))).status).toBe(200)
    await errata.record()
    expect((await notesOf(id))[0].content).toContain("Nothing happened")
  })

  it("reports invalid fields", async () => {
    for (const [fields, wrong] of [
      [{}, ["comments"]],
      [{ comments: "  ", email: "ada" }, ["comments", "email"]],
      [{ comments: "x", email: "a b@example.com" }, ["email"]],
    ] as const) {
      const { headers, json, status } = await post(fields)
      expect([status, Object.keys(json.errors), headers.get("x-sentry-error")]).toEqual([
        400,
        wrong,
        "invalid_form",
      ])
    }
  })

  it.each(["GET", "POST"])("requires a project and an event: %s", async (method) => {
    const body = method === "POST" ? new URLSearchParams({ comments: "x" }) : null
    const { mine, theirs } = errata
    for (const [query, status, error] of [
      [{ dsn: "" }, 401, "missing_key"],
      [{ dsn: "javascript:alert(1)" }, 401, "missing_key"],
      [{ dsn: dsnOf("0".repeat(32)) }, 403, "invalid_key"],
      [{ dsn: dsnOf(mine.token, theirs.id) }, 403, "invalid_key"],
      [{ dsn: dsnOf(mine.token, "x") }, 403, "invalid_key"],
      [{ eventId: "" }, 400, "invalid_event_id"],
      [{ eventId: hostile }, 400, "invalid_event_id"],
    ] as const) {
      const answer = await errata.fetch(path(query), { method, ...(body !== null && { body }) })
      expect([query, answer.status, answer.headers.get("x-sentry-error")]).toEqual([query, status, error])
      expect(answer.headers.get("access-control-allow-origin")).toBe("*")
    }
  })

  it("limits the size of the form, and rejects other methods", async () => {
    expect((await post({ comments: "x".repeat(70_000) })).status).toBe(413)
    const put = await errata.fetch(path(), { method: "PUT", body: "x" })
    expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD, POST, OPTIONS"])
    const preflight = await errata.fetch(path(), { method: "OPTIONS" })
    expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "GET, POST, OPTIONS",
    ])
  })

  it("counts towards the rate limit", async () => {
    const protection = "/data_retention/ingest_protection"
    await errata.api(protection, { method: "PATCH", body: { global_rate_limit_per_minute: 1 } })
    const answers = [
      await post({ comments: "one" }),
      await post({ comments: "two" }),
      await post({ comments: "three" }),
    ]
    expect(answers.map(({ status }) => status)).toContain(429)
    expect(answers.at(-1)!.headers.get("retry-after")).toMatch(/^\d+$/)
  })
})

describe("The report dialog below a base path", () => {
  it("is served there", async () => {
    const errata = await start({ baseUrl: "https://errors.example/errata" })
    const query = `dsn=https://${errata.mine.token}@errors.example/errata/${errata.mine.id}&eventId=${eventId}`
    expect((await errata.fetch(`/errata/api/embed/error-page/?${query}`)).status).toBe(200)
    await errata.stop()
  })
})
