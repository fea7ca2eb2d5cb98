import { metricTable } from "@errata/core/internal"
import { JobStore } from "@errata/core/ports"
import { Duration, Effect, Redacted } from "effect"
import parsePrometheus from "parse-prometheus-text-format"
import { afterEach, describe, expect, it } from "vitest"
import * as PrometheusText from "../src/PrometheusText.js"
import * as Dispatching from "./support/Dispatching.js"
import * as Receiver from "./support/Receiver.js"
import { start, type TestInstance } from "./support/TestInstance.js"

const token = "0123456789abcdef"

describe.each(["node", "web"] as const)("GET /metrics (%s)", (transport) => {
  let errata: TestInstance | undefined
  afterEach(() => errata?.stop())

  const given = async (metrics?: { readonly token?: Redacted.Redacted }) => {
    errata = await start({ transport, metrics })
    return errata
  }

  it("does not exist unless it is enabled", async () => {
    const instance = await given()
    expect((await instance.fetch("/metrics")).status).toBe(404)
    expect((await instance.fetch("/metrics", { method: "POST" })).status).toBe(404)
  })

  it("requires the token", async () => {
    const instance = await given({ token: Redacted.make(token) })
    const statusWith = async (authorization?: string) =>
      (await instance.fetch("/metrics", authorization === undefined ? {} : { headers: { authorization } }))
        .status
    for (const wrong of [undefined, "", "Bearer", "Bearer ", `Bearer ${token}0`, `Basic ${token}`, token]) {
      expect([wrong, await statusWith(wrong)]).toEqual([wrong, 401])
    }
    expect(await statusWith(`Bearer ${token}`)).toBe(200)
    expect(await statusWith(`bearer ${token}`)).toBe(200)
    const refused = await instance.fetch("/metrics")
    expect([refused.text, refused.headers.get("www-authenticate")]).toEqual(["unauthorized", "Bearer"])
  })

  it("counts accepted, rejected, waiting and recorded events", async () => {
    const instance = await given({})
    await instance.run(
      Effect.flatMap(JobStore, (jobs) => jobs.heartbeat("record", "node", Duration.seconds(5), "succeeded")),
    )
    const before = await read(instance)
    const { id, token: key } = instance.mine
    const send = (key: string, body = "{}") =>
      instance.fetch(`/api/${id}/store/?sentry_key=${key}`, { method: "POST", body })
    expect((await send(key)).status).toBe(200)
    expect((await send(key)).status).toBe(200)
    expect((await send("f".repeat(32))).status).toBe(403)
    expect((await send(key, "[")).status).toBe(400)
    expect((await instance.fetch("/nowhere")).status).toBe(404)
    // The page is as old as a second.
    const waiting = await until(instance, (page) => page.value("errata_pending_payloads") === 2)
    const grown = (page: Page, name: string, labels = {}) =>
      (page.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0)
    expect(grown(waiting, "errata_ingest_accepted_total")).toBe(2)
    expect(grown(waiting, "errata_ingest_refused_total", { reason: "invalid_key" })).toBe(1)
    expect(grown(waiting, "errata_payloads_accepted_total")).toBe(2)
    expect(grown(waiting, "errata_payload_accepted_bytes_total")).toBeGreaterThanOrEqual(4)
    expect(grown(waiting, "errata_intake_write_duration_seconds_count")).toBeGreaterThanOrEqual(1)
    expect(grown(waiting, "errata_http_request_duration_seconds_count", { status: "4xx" })).toBeGreaterThan(0)
    expect(waiting.value("errata_pending_age_seconds")).toBeGreaterThanOrEqual(0)
    expect(waiting.value("errata_job_last_success_timestamp_seconds", { job: "record" })).toBeGreaterThan(1e9)
    expect(waiting.value("errata_check_ok", { check: "database" })).toBe(1)

    await instance.record()
    const recorded = await until(instance, (page) => page.value("errata_pending_payloads") === 0)
    expect(grown(recorded, "errata_payloads_recorded_total")).toBe(2)
    expect(grown(recorded, "errata_recording_duration_seconds_count")).toBeGreaterThanOrEqual(1)
    // Nothing of it is of one project, person or address; one reason that frames are not mapped is only called so.
    expect(recorded.text.replaceAll(/^# HELP .*$|conflicting_project/gm, "")).not.toMatch(
      new RegExp(`${key}|project|127\\.0\\.0\\.1`),
    )
    for (const { name } of recorded.families) {
      expect(Object.values(metricTable).map((known) => known.name)).toContain(name)
    }
  })
})

describe("the metrics of webhooks", () => {
  it("count every attempt by its outcome", async () => {
    const instance = await start({ metrics: {} })
    const receiver = await Receiver.start()
    const stopDispatching = Dispatching.start(instance)
    try {
      const path = `/projects/${instance.mine.id}/webhooks`
      const body = { url: receiver.url, events: ["group.created"] }
      const { json: hook } = await instance.api(path, { method: "POST", body })
      const before = await read(instance)
      receiver.answerNext(Receiver.status(503))
      await instance.report({ message: "It fails" })
      await until(instance, (page) => attempts(page, "succeeded") > attempts(before, "succeeded"))
      receiver.answerNext(Receiver.status(410))
      expect((await instance.api(`${path}/${hook.id}/test`, { method: "POST" })).json.status).toBe("failed")
      const after = await until(instance, (page) => attempts(page, "failed") > attempts(before, "failed"))
      const grown = ["succeeded", "retried", "failed"].map(
        (outcome) => attempts(after, outcome) - attempts(before, outcome),
      )
      expect(grown).toEqual([1, 1, 1])
      const duration = "errata_webhook_attempt_duration_seconds_count"
      expect(after.value(duration)! - (before.value(duration) ?? 0)).toBe(3)
    } finally {
      await stopDispatching()
      await receiver.stop()
      await instance.stop()
    }
  })

  const attempts = (page: Page, outcome: string) =>
    page.value("errata_webhook_attempts_total", { outcome }) ?? 0
})

describe("PrometheusText", () => {
  it("writes text that another parser reads", () => {
    const text = PrometheusText.render([
      { name: "a_total", type: "counter", help: "A \\ and\na line", samples: [{ labels: {}, value: 3 }] },
      {
        name: "b",
        type: "gauge",
        help: "B",
        samples: [{ labels: { path: 'C:\\ "x"\n', empty: "" }, value: 0.5 }],
      },
      {
        name: "c_seconds",
        type: "histogram",
        help: "C",
        samples: [
          {
            labels: {},
            value: {
              count: 4,
              sum: 11.5,
              buckets: [
                [0.1, 1],
                [1, 3],
                [Number.POSITIVE_INFINITY, 4],
              ],
            },
          },
        ],
      },
    ])
    expect(parsePrometheus(text)).toEqual([
      { name: "a_total", type: "COUNTER", help: "A \\ and\na line", metrics: [{ value: "3" }] },
      {
        name: "b",
        type: "GAUGE",
        help: "B",
        metrics: [{ labels: { path: 'C:\\ "x"\n', empty: "" }, value: "0.5" }],
      },
      {
        name: "c_seconds",
        type: "HISTOGRAM",
        help: "C",
        metrics: [
          {
            buckets: { "0.1": "1", "1": "3", "+Inf": "4" },
            count: "4",
            sum: "11.5",
          },
        ],
      },
    ])
    // The parser reads no labels of histograms.
    const labelled = { count: 1, sum: 2, buckets: [[1, 0]] as const }
    expect(
      PrometheusText.render([
        { name: "d", type: "histogram", help: "", samples: [{ labels: { a: "b" }, value: labelled }] },
      ]),
    ).toBe(
      `# HELP d \n# TYPE d histogram\nd_bucket{a="b",le="1"} 0\nd_bucket{a="b",le="+Inf"} 1\n` +
        `d_sum{a="b"} 2\nd_count{a="b"} 1\n`,
    )
  })
})

interface Page {
  readonly text: string
  readonly families: ReturnType<typeof parsePrometheus>
  /** The value of the series with these labels. */
  readonly value: (name: string, labels?: Readonly<Record<string, string>>) => number | undefined
}

const read = async (instance: TestInstance): Promise<Page> => {
  const { headers, status, text } = await instance.fetch("/metrics")
  expect([status, headers.get("content-type")]).toEqual([200, PrometheusText.contentType])
  return {
    text,
    families: parsePrometheus(text),
    value: (name, labels = {}) => {
      const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`)
      const head = wanted.length === 0 ? `${name} ` : `${name}{${wanted.join(",")}} `
      const line = text.split("\n").find((line) => line.startsWith(head))
      return line === undefined ? undefined : Number(line.slice(head.length))
    },
  }
}

const until = async (instance: TestInstance, holds: (page: Page) => boolean): Promise<Page> => {
  let page = await read(instance)
  while (!holds(page)) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    page = await read(instance)
  }
  return page
}
