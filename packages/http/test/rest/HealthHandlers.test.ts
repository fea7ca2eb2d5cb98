import type { Services } from "@errata/core"
import { healthChecks } from "@errata/core/internal"
import { HealthStore, JobStore } from "@errata/core/ports"
import { Context, Duration, Effect, type Layer } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { changedStores } from "../support/changedStores.js"
import { start, type TestInstance } from "../support/TestInstance.js"

/** A storage with a notification that has failed permanently. */
const warned: Layer.Layer<Services.Stores> = changedStores((context) => {
  const store = Context.get(context, HealthStore)
  const amounts = Effect.map(store.amounts, (found) => ({ ...found, failedDeliveries: 1 }))
  return Context.add(context, HealthStore, { ...store, amounts })
})

/** A storage on a disk, with a queue that is about to be recorded. */
const measured: Layer.Layer<Services.Stores> = changedStores((context) => {
  const store = Context.get(context, HealthStore)
  const amounts = Effect.map(store.amounts, (found) => ({ ...found, pendingPayloads: 3, pendingBytes: 700 }))
  return Context.add(context, HealthStore, { ...store, amounts, databaseBytes: Effect.succeed(81_920) })
})

const beat = (errata: TestInstance, ...work: ReadonlyArray<string>) =>
  errata.run(
    Effect.flatMap(JobStore, (jobs) =>
      Effect.forEach(work, (name) => jobs.heartbeat(name, "node", Duration.seconds(5), "succeeded")),
    ),
  )

describe("GET /health/details", () => {
  let errata: TestInstance | undefined
  afterEach(() => errata?.stop())

  it("shows admins each check, its code if it fails, and warnings", async () => {
    errata = await start({}, warned)
    await beat(errata, "record")
    const { json, status } = await errata.api("/health/details")
    expect(status).toBe(200)
    expect(json).toMatchObject({ ready: false, warnings: [{ code: "deliveries_failed" }] })
    expect(json.checks).toEqual(
      healthChecks.map(({ code, name }) =>
        name === "dispatcher" ? { name, ok: false, code } : { name, ok: true, code: null },
      ),
    )
  })

  it("reports the queue, the jobs and the size of the database", async () => {
    errata = await start({}, measured)
    await beat(errata, "record")
    const { json } = await errata.api("/health/details")
    expect(json).toMatchObject({
      queue: { payloads: 3, bytes: 700, oldest_waiting_seconds: null, recorded_per_minute: null },
      mail: { set_up: false, failed_at: null },
      database_bytes: 81_920,
    })
    expect(json.jobs).toContainEqual({
      name: "record",
      node: "node",
      heartbeat_at: expect.any(String),
      succeeded_at: expect.any(String),
      failed_at: null,
      failure: null,
    })
  })

  it("agrees with /ready", async () => {
    errata = await start()
    await beat(errata, "record", "dispatch")
    const { json } = await errata.api("/health/details")
    expect(json).toMatchObject({ ready: true, warnings: [] })
    expect((await errata.fetch("/ready")).status).toBe(200)
  })
})
