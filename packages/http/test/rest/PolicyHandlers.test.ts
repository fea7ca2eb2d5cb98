import { IngestStatistics } from "@errata/core"
import { DateTime, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memberKey, start, type TestInstance } from "../support/TestInstance.js"

const defaults = {
  ingest_protection: {
    enabled: true,
    global_rate_limit_per_minute: 3_000,
    backlog_protection_enabled: true,
    max_pending_ingest_payloads: 10_000,
    disk_protection_enabled: true,
    minimum_free_disk_space_mb: 2_048,
    pending_ingest_bytes: 0,
    max_pending_ingest_bytes: 536_870_912,
    recent_rejections: 0,
    recent_truncations: 0,
  },
  errors: {
    enabled: true,
    time_based_enabled: true,
    retention_period_days: 90,
    time_purge_type: "partial",
    disk_based_enabled: false,
    disk_limit_type: "percentage",
    disk_limit_value: 80,
  },
  artifacts: {
    enabled: false,
    time_based_enabled: true,
    retention_period_days: 90,
    disk_based_enabled: false,
    disk_limit_type: "percentage",
    disk_limit_value: 80,
    purge_on_new_release: false,
    max_releases_kept: 10,
  },
  hosted_sourcemaps: { enabled: true },
}

const names = ["ingest_protection", "errors", "artifacts", "hosted_sourcemaps"] as const
type Name = (typeof names)[number]

/** Another valid value for each setting that can be changed. */
const others = {
  ingest_protection: {
    enabled: false,
    global_rate_limit_per_minute: 10_000_000,
    backlog_protection_enabled: false,
    max_pending_ingest_payloads: 1,
    disk_protection_enabled: false,
    minimum_free_disk_space_mb: 0,
  },
  errors: {
    enabled: true,
    time_based_enabled: false,
    retention_period_days: 3_650,
    time_purge_type: "full",
    disk_based_enabled: true,
    disk_limit_type: "absolute",
    disk_limit_value: 95,
  },
  artifacts: {
    enabled: true,
    time_based_enabled: false,
    retention_period_days: 1,
    disk_based_enabled: true,
    disk_limit_type: "absolute",
    disk_limit_value: 1,
    purge_on_new_release: true,
    max_releases_kept: 1_000,
  },
  hosted_sourcemaps: { enabled: false },
} as const

describe.each(["node", "web"] as const)("PolicyHandlers (%s)", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport })
  })
  afterAll(() => errata.stop())

  const get = (name: Name, key?: string) =>
    errata.api(`/data_retention/${name}`, key === undefined ? {} : { key })
  const patch = (name: Name, body: unknown, key?: string) =>
    errata.api(`/data_retention/${name}`, { method: "PATCH", body, ...(key === undefined ? {} : { key }) })

  it.each(names)("answers %s as it is until somebody changes it", async (name) => {
    const answer = await get(name)
    expect([answer.status, answer.json]).toEqual([200, defaults[name]])
    expect((await patch(name, {})).json).toEqual(defaults[name])
    expect((await patch(name, { policy: others[name], unknown: 1 })).json).toEqual(defaults[name])
  })

  it.each(names)("changes each setting of %s on its own", async (name) => {
    let expected: object = defaults[name]
    for (const [setting, value] of Object.entries(others[name])) {
      expected = { ...expected, [setting]: value }
      const answer = await patch(name, { [setting]: value })
      expect([answer.status, answer.json]).toEqual([200, expected])
      expect((await get(name)).json).toEqual(expected)
    }
    const { json } = await patch(name, defaults[name])
    expect(json).toEqual(defaults[name])
  })

  it("ignores what can only be read", async () => {
    const { json, status } = await patch("ingest_protection", {
      pending_ingest_bytes: 1,
      max_pending_ingest_bytes: "many",
      recent_rejections: -1,
      recent_truncations: null,
    })
    expect([status, json]).toEqual([200, defaults.ingest_protection])
  })

  it.each([
    ["ingest_protection", { enabled: "true" }, "enabled"],
    ["ingest_protection", { enabled: null }, "enabled"],
    ["ingest_protection", { global_rate_limit_per_minute: 0 }, "global_rate_limit_per_minute"],
    ["ingest_protection", { global_rate_limit_per_minute: 10_000_001 }, "global_rate_limit_per_minute"],
    ["ingest_protection", { global_rate_limit_per_minute: 1.5 }, "global_rate_limit_per_minute"],
    ["ingest_protection", { global_rate_limit_per_minute: "5" }, "global_rate_limit_per_minute"],
    ["ingest_protection", { max_pending_ingest_payloads: 1e300 }, "max_pending_ingest_payloads"],
    ["ingest_protection", { minimum_free_disk_space_mb: -1 }, "minimum_free_disk_space_mb"],
    ["errors", { retention_period_days: 0 }, "retention_period_days"],
    ["errors", { retention_period_days: 3_651 }, "retention_period_days"],
    ["errors", { time_purge_type: "some" }, "time_purge_type"],
    ["errors", { disk_limit_type: "relative" }, "disk_limit_type"],
    ["errors", { disk_limit_type: "percentage", disk_limit_value: 96 }, "disk_limit_value"],
    ["errors", { disk_limit_type: "absolute", disk_limit_value: 100_001 }, "disk_limit_value"],
    ["artifacts", { disk_limit_value: 0 }, "disk_limit_value"],
    ["artifacts", { max_releases_kept: 1_001 }, "max_releases_kept"],
    ["artifacts", { purge_on_new_release: 1 }, "purge_on_new_release"],
    ["hosted_sourcemaps", { enabled: 0 }, "enabled"],
    ["hosted_sourcemaps", [], "base"],
  ] as const)("refuses %s %j, and changes nothing", async (name, body, field) => {
    const answer = await patch(name, Array.isArray(body) ? body : { ...others[name], ...body })
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, [field]])
    expect((await get(name)).json).toEqual(defaults[name])
  })

  it("refuses a type that the stored value does not fit", async () => {
    await patch("errors", { disk_limit_type: "absolute", disk_limit_value: 500 })
    const answer = await patch("errors", { enabled: false, disk_limit_type: "percentage" })
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, ["disk_limit_value"]])
    expect((await get("errors")).json).toMatchObject({ enabled: true, disk_limit_type: "absolute" })
    expect((await patch("errors", defaults.errors)).json).toEqual(defaults.errors)
  })

  it("is for admins only", async () => {
    for (const name of names) {
      for (const answer of [
        await get(name, memberKey),
        await patch(name, others[name], memberKey),
        await patch(name, "{", memberKey),
      ]) {
        expect([answer.status, answer.json.title]).toEqual([403, "Forbidden"])
      }
      expect((await get(name)).json).toEqual(defaults[name])
    }
  })

  it("tells what waits to be recorded, and what the last hour saw", async () => {
    const { mine } = errata
    const sent = await errata.fetch(`/api/${mine.id}/store/?sentry_key=${mine.token}`, {
      method: "POST",
      body: JSON.stringify({ message: "waiting" }),
    })
    expect(sent.status).toBe(200)
    await errata.run(
      Effect.gen(function* () {
        const statistics = yield* IngestStatistics
        const now = yield* DateTime.now
        yield* statistics.add({ rejectedByQueue: 2, truncated: 3 }, now)
      }),
    )
    const { json } = await get("ingest_protection")
    expect(json).toMatchObject({ recent_rejections: 2, recent_truncations: 3 })
    expect(json.pending_ingest_bytes).toBeGreaterThan(0)
    expect((await patch("ingest_protection", {})).json).toEqual(json)
    await errata.record()
    expect((await get("ingest_protection")).json.pending_ingest_bytes).toBe(0)
  })
})
