import type { Services } from "@errata/core"
import { HealthStore, JobStore, SharedClock } from "@errata/core/ports"
import { MemoryStorage } from "@errata/storage-memory"
import { Clock, Context, Deferred, Duration, Effect, Layer } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { changedStores } from "./support/changedStores.js"
import { RawSocket } from "./support/RawSocket.js"
import { start, type TestInstance, type Transport } from "./support/TestInstance.js"

/** A storage that counts health checks, whose responses can be delayed. */
const watched = () => {
  const state = { asked: 0, hold: Effect.void as Effect.Effect<void> }
  const layer: Layer.Layer<Services.Stores> = changedStores((context) => {
    const store = Context.get(context, HealthStore)
    const work = Effect.suspend(() => {
      state.asked++
      return Effect.andThen(state.hold, store.work)
    })
    return Context.add(context, HealthStore, { ...store, work })
  })
  return { state, layer }
}

/** Records heartbeats of the recorder and of the webhook dispatcher. */
const beat = (errata: TestInstance) =>
  errata.run(
    Effect.flatMap(JobStore, (jobs) =>
      Effect.forEach(["record", "dispatch"], (work) =>
        jobs.heartbeat(work, "node", Duration.seconds(5), "succeeded"),
      ),
    ),
  )

describe.each(["node", "web"] as const)("Probes (%s)", (transport) => {
  let errata: TestInstance | undefined
  afterEach(() => errata?.stop())

  const given = async (
    options: { readonly baseUrl?: string } = {},
    stores?: Layer.Layer<Services.Stores>,
  ) => {
    errata = await start({ transport: transport satisfies Transport, ...options }, stores)
    return errata
  }

  it("say only ready if all checks pass", async () => {
    const instance = await given()
    await beat(instance)
    const answer = await instance.fetch("/ready")
    expect([answer.status, answer.text]).toEqual([200, "ready"])
    expect(answer.headers.get("content-type")).toBe("text/plain")
    expect(answer.headers.get("cache-control")).toBe("no-store")
    const head = await instance.fetch("/ready", { method: "HEAD" })
    expect([head.status, head.text, head.headers.get("content-length")]).toEqual([200, "", "5"])
    expect((await instance.fetch("/ready?verbose=1")).text).toBe("ready")
  })

  it("say only not ready if a check fails", async () => {
    const instance = await given()
    const answer = await instance.fetch("/ready")
    expect([answer.status, answer.text]).toEqual([503, "not ready"])
    expect(answer.headers.get("content-type")).toBe("text/plain")
    expect(answer.headers.get("cache-control")).toBe("no-store")
    const head = await instance.fetch("/ready", { method: "HEAD" })
    expect([head.status, head.text]).toEqual([503, ""])
    // The reason is only logged.
    expect(instance.logs.filter((line) => line.includes("worker_stale"))).toHaveLength(1)
    expect((await instance.fetch("/up")).status).toBe(200)
  })

  it("allow only GET and HEAD, below the base path and at the root", async () => {
    const instance = await given({ baseUrl: "https://errors.example/errata" })
    await beat(instance)
    for (const path of ["/ready", "/errata/ready", "/up", "/errata/up"]) {
      expect([path, (await instance.fetch(path)).status]).toEqual([path, 200])
      const post = await instance.fetch(path, { method: "POST" })
      expect([path, post.status, post.headers.get("allow")]).toEqual([path, 405, "GET, HEAD"])
    }
    for (const path of ["/readyx", "/ready/x", "/ready;x", "/errataready", "/x/ready"]) {
      expect([path, (await instance.fetch(path)).status]).toEqual([path, 404])
    }
  })

  it("query the storage once for concurrent requests", async () => {
    const { layer, state } = watched()
    const instance = await given({}, layer)
    await beat(instance)
    let go = () => {}
    state.hold = Effect.promise(
      () =>
        new Promise<void>((resolve) => {
          go = resolve
        }),
    )
    const asking = Promise.all(Array.from({ length: 50 }, () => instance.fetch("/ready")))
    while (state.asked === 0) await new Promise((resolve) => setImmediate(resolve))
    go()
    const answers = await asking
    expect([...new Set(answers.map(({ text }) => text))]).toEqual(["ready"])
    for (let i = 0; i < 5; i++) await instance.fetch("/ready")
    expect(state.asked).toBe(1)
  })
})

describe("Probes of a server that stops", () => {
  it("say not ready during the drain time, while other requests succeed", async () => {
    const isOver = Deferred.makeUnsafe<void>()
    const clock = Layer.effect(
      Clock.Clock,
      Effect.map(Clock.Clock, (own) => ({
        ...SharedClock.clockOf(own, Date.now),
        sleep: (duration: Duration.Duration) =>
          Duration.equals(duration, Duration.hours(1)) ? Deferred.await(isOver) : own.sleep(duration),
      })),
    )
    const errata = await start({ drainTime: "1 hour" }, Layer.merge(MemoryStorage.layer, clock))
    await beat(errata)
    expect((await errata.fetch("/ready")).text).toBe("ready")
    const kept = await RawSocket.open(errata.port)
    const stop = errata.stop()
    let answer = await errata.fetch("/ready")
    while (answer.status === 200) answer = await errata.fetch("/ready")
    expect(answer.text).toBe("not ready")
    // New connections are accepted and served.
    expect((await errata.fetch("/up")).status).toBe(200)
    expect((await errata.api("/projects")).status).toBe(200)
    kept.write("GET /ready HTTP/1.1\r\nhost: x\r\n\r\n")
    expect((await kept.response("GET")).status).toBe(503)
    Effect.runSync(Deferred.succeed(isOver, undefined))
    await stop
    await expect(errata.fetch("/up")).rejects.toThrow()
  })
})
