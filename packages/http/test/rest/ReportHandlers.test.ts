import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const listKeys = [
  "id",
  "group_id",
  "project_id",
  "event_id",
  "error_type",
  "error_message",
  "culprit",
  "occurred_at",
  "platform",
  "severity",
  "handled",
  "server_name",
  "environment",
  "release_version",
  "sourcemap_status",
  "sourcemap_failure_code",
  "sourcemap_attempted_at",
  "web_url",
  "created_at",
  "tags",
]

const eventId = "0123456789abcdef0123456789abcdef"

const event = {
  event_id: eventId,
  platform: "python",
  level: "warning",
  server_name: "web-1",
  environment: "production",
  release: "shop@1.2.3",
  transaction: "/checkout",
  transaction_info: { source: "route" },
  fingerprint: ["{{ default }}", "extra"],
  exception: {
    values: [
      { type: "KeyError", value: "'x'" },
      {
        type: "CheckoutError",
        value: "no cart",
        module: "shop.cart",
        mechanism: { type: "generic", handled: false },
        stacktrace: {
          frames: [
            { filename: "shop/cart.py", function: "checkout", lineno: 12, in_app: true, vars: { n: 1 } },
          ],
        },
      },
    ],
  },
  tags: { region: "eu", z: "1", a: "2" },
  extra: { cart: { items: [1, null, "x"] }, note: "n" },
  contexts: { runtime: { name: "CPython", version: "3.12" } },
  user: { id: 42, email: "ada@example.com", username: "ada", ip_address: "192.0.2.1", plan: "pro" },
  request: {
    url: "https://shop.example/checkout",
    method: "POST",
    query_string: "a=1",
    data: { card: "x" },
    cookies: { s: "1" },
    headers: { Host: "shop.example" },
    env: { SERVER_NAME: "web-1" },
  },
  sdk: { name: "sentry.python", version: "2.0.0" },
  modules: { django: "5.0" },
  breadcrumbs: { values: [{ message: "clicked", category: "ui" }] },
}

describe.each(["node", "web"] as const)("ReportHandlers (%s)", (transport) => {
  let errata: TestInstance
  let detail: Record<string, unknown>
  let reports: string

  beforeAll(async () => {
    errata = await start({ transport })
    detail = await errata.report(event)
    reports = `/projects/${errata.mine.id}/groups/${detail["group_id"]}/reports`
  })
  afterAll(() => errata.stop())

  it("answers every field of the specification", async () => {
    const answer = await errata.api(`${reports}/${detail["id"]}`, { key: memberKey })
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toBe("application/json")
    expect(answer.json).toEqual({
      id: expect.any(Number),
      group_id: expect.any(Number),
      project_id: errata.mine.id,
      event_id: eventId,
      error_type: "CheckoutError",
      error_message: "no cart",
      culprit: "/checkout",
      occurred_at: timestamp,
      platform: "python",
      severity: "warning",
      handled: false,
      server_name: "web-1",
      environment: "production",
      release_version: "shop@1.2.3",
      sourcemap_status: "unprocessed",
      sourcemap_failure_code: null,
      sourcemap_attempted_at: null,
      web_url: expect.stringMatching(/\/projects\/\d+\/groups\/\d+\/reports\/\d+$/),
      created_at: timestamp,
      tags: [
        { key: "region", value: "eu" },
        { key: "z", value: "1" },
        { key: "a", value: "2" },
        { key: "user.id", value: "42" },
        { key: "user.email", value: "ada@example.com" },
        { key: "user.ip", value: "192.0.2.1" },
      ],
      updated_at: timestamp,
      custom_fingerprint: ["{{ default }}", "extra"],
      transaction: "/checkout",
      transaction_source: "route",
      logger: expect.any(String),
      dist: "",
      contexts: [{ name: "runtime", data: { name: "CPython", version: "3.12" } }],
      user: {
        user_id: "42",
        username: "ada",
        email: "ada@example.com",
        ip_address: "192.0.2.1",
        geo_city: "",
        geo_region: "",
        geo_country_code: "",
        data: { plan: "pro" },
      },
      request: {
        url: "https://shop.example/checkout",
        method: "POST",
        query_string: "a=1",
        data: { card: "x" },
        cookies: { s: "1" },
        headers: { Host: "shop.example" },
        env: { SERVER_NAME: "web-1" },
      },
      sdk: { name: "sentry.python", version: "2.0.0" },
      extras: [
        { key: "cart", value: { items: [1, null, "x"] } },
        { key: "note", value: "n" },
      ],
      dependencies: [{ name: "django", version: "5.0" }],
      release: { id: expect.any(Number), version: "shop@1.2.3" },
      exceptions: [
        {
          type: "KeyError",
          value: "'x'",
          module: null,
          thread_id: null,
          mechanism: null,
          handled: null,
          frames: [],
        },
        {
          type: "CheckoutError",
          value: "no cart",
          module: "shop.cart",
          thread_id: null,
          mechanism: { type: "generic", handled: false },
          handled: false,
          frames: [
            { filename: "shop/cart.py", function: "checkout", lineno: 12, in_app: true, vars: { n: 1 } },
          ],
        },
      ],
      threads: [],
      breadcrumbs: [expect.objectContaining({ message: "clicked", category: "ui" })],
      debug_images: [],
      logentry: null,
      security_report: null,
      attachments: [],
      ingest_truncations: [],
      details_purged: false,
    })
  })

  it("lists the list fields, the newest first", async () => {
    const answer = await errata.api(reports, { key: memberKey })
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.json)).toEqual(["reports", "next_cursor", "has_more"])
    expect(Object.keys(answer.json.reports[0])).toEqual(listKeys)
  })

  it("pages and filters by time, bounds excluded", async () => {
    const hour = 60 * 60 * 1000
    const at = Array.from({ length: 4 }, (_, i) => new Date(Date.now() - (10 - i) * hour))
    const ids: Array<number> = []
    let group = 0
    for (const moment of at) {
      const report = await errata.report({ message: "in time", timestamp: moment.toISOString() })
      ids.unshift(report.id)
      group = report.group_id
    }
    const path = `/projects/${errata.mine.id}/groups/${group}/reports`
    const found = async (query: string) =>
      (await errata.api(`${path}?${query}`)).json.reports.map(({ id }: { id: number }) => id)
    expect(await found("")).toEqual(ids)
    expect(await found(`since=${at[1]!.toISOString()}`)).toEqual(ids.slice(0, 2))
    expect(await found(`until=${at[1]!.toISOString()}`)).toEqual(ids.slice(3))
    expect(await found(`since=${at[0]!.toISOString()}&until=${at[3]!.toISOString()}`)).toEqual(
      ids.slice(1, 3),
    )
    expect(await found("since=2001-01-01")).toEqual(ids)
    expect(await found("until=2001-01-01")).toEqual([])
    const first = (await errata.api(`${path}?limit=3`)).json
    expect([first.next_cursor, first.has_more]).toEqual([ids[2], true])
    const second = (await errata.api(`${path}?limit=3&cursor=${first.next_cursor}`)).json
    expect(second.reports.map(({ id }: { id: number }) => id)).toEqual([ids[3]])
    expect([second.next_cursor, second.has_more]).toEqual([null, false])
  })

  it.each([
    ["limit=0", "limit"],
    ["cursor=x", "cursor"],
    ["since=soon", "since"],
    ["until=2025-1-1", "until"],
  ])("refuses %s", async (query, field) => {
    const answer = await errata.api(`${reports}?${query}`)
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, [field]])
  })

  it.each([
    eventId,
    eventId.toUpperCase(),
    "01234567-89ab-cdef-0123-456789abcdef",
    "01234567-89AB-cdef-0123-456789ABCDEF",
  ])("finds the event %s", async (id) => {
    const answer = await errata.api(`/projects/${errata.mine.id}/reports/${id}`, { key: memberKey })
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual((await errata.api(`${reports}/${detail["id"]}`)).json)
  })

  it("finds no event of another id, project or kind", async () => {
    await errata.report({ event_id: "f".repeat(32), message: "theirs" }, errata.theirs)
    for (const [path, key] of [
      [`/projects/${errata.mine.id}/reports/${"e".repeat(32)}`, undefined],
      [`/projects/${errata.mine.id}/reports/${"f".repeat(32)}`, undefined],
      [`/projects/${errata.mine.id}/reports/${eventId}0`, undefined],
      [`/projects/${errata.mine.id}/reports/abc`, undefined],
      [`/projects/${errata.mine.id}/reports/${"x".repeat(400)}`, undefined],
      [`/projects/${errata.mine.id}/reports/${"x".repeat(4000)}`, undefined],
      [`/projects/${errata.mine.id}/reports/%00`, undefined],
      [`/projects/${errata.mine.id}/reports/${detail["id"]}`, undefined],
      [`/projects/${errata.theirs.id}/reports/${eventId}`, undefined],
      [`/projects/999999/reports/${eventId}`, undefined],
      [`/projects/abc/reports/${eventId}`, undefined],
      // Neither the project nor the event is the member's: neither is told.
      [`/projects/${errata.theirs.id}/reports/${"f".repeat(32)}`, memberKey],
      [`/projects/${errata.theirs.id}/reports/abc`, memberKey],
    ] as const) {
      const answer = await errata.api(path, key === undefined ? {} : { key })
      expect([path, answer.status]).toEqual([path, 404])
      expect(answer.json).toMatchObject({ title: "Not Found", status: 404 })
    }
  })

  it("finds no report outside its group and project", async () => {
    const other = await errata.report({ message: "another group" })
    const theirs = await errata.report({ message: "theirs" }, errata.theirs)
    for (const path of [
      `${reports}/999999`,
      `${reports}/abc`,
      `${reports}/1.5`,
      `${reports}/${other.id}`,
      `${reports}/${theirs.id}`,
      `/projects/${errata.mine.id}/groups/999999/reports`,
      `/projects/${errata.mine.id}/groups/abc/reports`,
      `/projects/${errata.mine.id}/groups/${theirs.group_id}/reports`,
      `/projects/999999/groups/${other.group_id}/reports/${other.id}`,
    ]) {
      expect([path, (await errata.api(path)).status]).toEqual([path, 404])
    }
    for (const path of [
      `/projects/${errata.theirs.id}/groups/${theirs.group_id}/reports`,
      `/projects/${errata.theirs.id}/groups/${theirs.group_id}/reports/${theirs.id}`,
    ]) {
      expect([path, (await errata.api(path, { key: memberKey })).status]).toEqual([path, 404])
    }
  })
})
