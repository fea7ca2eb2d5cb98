import { IngestStatistics } from "@errata/core/ports"
import { DateTime, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { start, type TestInstance } from "../support/TestInstance.js"

describe.each(["node", "web"] as const)("PolicyHandlers (%s)", (transport) => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start({ transport })
  })
  afterAll(() => errata.stop())

  const policy = "/data_retention/ingest_protection"
  const get = async () => (await errata.api(policy)).json
  const patch = async (body: unknown) => (await errata.api(policy, { method: "PATCH", body })).json

  it("shows the pending bytes, and the rejections of the last hour", async () => {
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
        yield* statistics.add({ rejectedByDisk: 1, rejectedByQueue: 2, rejectedByRate: 4, truncated: 3 }, now)
      }),
    )
    const json = await get()
    expect(json).toMatchObject({
      recent_rejections: 7,
      recent_rejections_by_disk: 1,
      recent_rejections_by_queue: 2,
      recent_rejections_by_rate: 4,
      recent_truncations: 3,
    })
    expect(json.pending_ingest_bytes).toBeGreaterThan(0)
    expect(await patch({})).toEqual(json)
    await errata.record()
    expect((await get()).pending_ingest_bytes).toBe(0)
  })
})
