/** Responses to clients while ingest protection rejects events. */
import { PendingPayloads } from "@errata/core/ports"
import { Duration, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as FixedMinute from "./support/FixedMinute.js"
import { start, type TestInstance } from "./support/TestInstance.js"

let serial = 0
const fresh = () => (++serial).toString(16).padStart(32, "b")

const event = () => {
  const id = fresh()
  return `{"event_id":"${id}"}\n{"type":"event"}\n{"event_id":"${id}","message":"Hello"}`
}
const clientReport =
  '{"type":"client_report"}\n{"discarded_events":[{"reason":"sample_rate","category":"error","quantity":3}]}'

describe.each(["node", "web"] as const)("Ingest protection (%s)", (transport) => {
  let errata: TestInstance

  beforeAll(async () => {
    errata = await start({ transport }, FixedMinute.layer())
  })
  afterAll(() => errata.stop())

  const post = (body: string, endpoint = "envelope") =>
    errata.fetch(`/api/${errata.mine.id}/${endpoint}/?sentry_key=${errata.mine.token}`, {
      method: "POST",
      body,
    })
  const protection = (changes: Record<string, unknown>) =>
    errata.api("/data_retention/ingest_protection", { method: "PATCH", body: changes })
  const waiting = () => errata.run(Effect.flatMap(PendingPayloads, ({ size }) => size))

  it("accepts errors up to the rate limit, and rejects the next with Retry-After", async () => {
    expect((await protection({ global_rate_limit_per_minute: 5 })).status).toBe(200)
    const statuses: Array<number> = []
    for (let i = 0; i < 8; i++) statuses.push((await post(event())).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
    const { headers, json, status } = await post(event())
    expect(status).toBe(429)
    const seconds = Number(headers.get("retry-after"))
    expect(seconds).toBeGreaterThan(20)
    expect(seconds).toBeLessThanOrEqual(30)
    expect(headers.get("x-sentry-rate-limits")).toMatch(
      /^\d+:default;error;security;attachment;feedback:organization:rate_limited$/,
    )
    expect(headers.get("x-sentry-error")).toBe("rate_limited")
    expect(headers.get("access-control-allow-origin")).toBe("*")
    expect(headers.get("access-control-expose-headers")).toContain("x-sentry-rate-limits")
    expect(json).toEqual({
      detail: "The rate limit of this minute is reached",
      causes: ["rate_limited"],
    })
    expect((await waiting()).payloads).toBe(5)
    expect((await errata.api("/data_retention/ingest_protection")).json.recent_rejections).toBe(4)
    const example = await errata.api(`/projects/${errata.mine.id}/test_event`, { method: "POST" })
    expect([example.status, example.headers.get("retry-after")]).toEqual([429, "60"])
  })

  it("keeps client reports of requests over the rate limit", async () => {
    const before = (await waiting()).payloads
    expect((await post(`{}\n${clientReport}`)).status).toBe(200)
    expect((await post(`${event()}\n${clientReport}`)).status).toBe(429)
    expect((await waiting()).payloads).toBe(before + 2)
    const queued = await errata.run(
      Effect.flatMap(PendingPayloads, (pending) =>
        pending.lease({ payloads: 100, bytes: 1e9, duration: Duration.minutes(1) }),
      ),
    )
    const bodies = queued.flatMap(({ payloads }) =>
      payloads.map(({ payload }) => Buffer.from(payload.body).toString()),
    )
    expect(bodies.at(-1)).toContain("client_report")
    expect(bodies.at(-1)).not.toContain('"type":"event"')
  })

  it("counts events, not requests: several reports are accepted all or none", async () => {
    await protection({ global_rate_limit_per_minute: 8 })
    const report = {
      type: "csp-violation",
      url: "https://a.example",
      body: { documentURL: "https://a.example", effectiveDirective: "img-src" },
    }
    const reports = (count: number) =>
      errata.fetch(`/api/${errata.mine.id}/security/?sentry_key=${errata.mine.token}`, {
        method: "POST",
        headers: { "content-type": "application/reports+json" },
        body: JSON.stringify(Array.from({ length: count }, () => report)),
      })
    expect((await reports(4)).status).toBe(429)
    expect((await reports(3)).status).toBe(200)
    expect((await reports(1)).status).toBe(429)
  })

  it("pauses the intake while the queue is full, as soon as the limit is set", async () => {
    await protection({ enabled: false, max_pending_ingest_payloads: 1 })
    const { headers, status } = await post(event())
    expect(status).toBe(429)
    expect(headers.get("retry-after")).toBe("10")
    expect(headers.get("x-sentry-rate-limits")).toBe("10::organization:queue_full")
    expect((await post(`{}\n${clientReport}`)).status).toBe(429)
    await protection({ backlog_protection_enabled: false })
    expect((await post(event())).status).toBe(200)
    expect((await post("{}")).json).toEqual({})
  })
})
