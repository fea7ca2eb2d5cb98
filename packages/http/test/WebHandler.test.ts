import { ErrataConfig, Services } from "@errata/core"
import { SentryPayloadDecoder } from "@errata/sentry"
import { MemoryStorage } from "@errata/storage-memory"
import { Effect, Layer } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { WebHandler } from "../src/index.js"
import { start } from "./support/TestInstance.js"

const services = Services.layer.pipe(Layer.provide([MemoryStorage.layer, SentryPayloadDecoder.layer()]))
const up = () => new Request("https://errors.example/up")

describe("WebHandler", () => {
  const disposals: Array<() => Promise<void>> = []
  afterEach(async () => {
    for (const dispose of disposals.splice(0)) await dispose()
  })
  const make = (...args: Parameters<typeof WebHandler.fromLayer>) => {
    const { dispose, handler } = WebHandler.fromLayer(...args)
    disposals.push(dispose)
    return handler
  }

  it("builds its services once, at the first request", async () => {
    let built = 0
    const counted = services.pipe(Layer.provide(Layer.effectDiscard(Effect.sync(() => built++))))
    const handler = make(counted)
    expect(built).toBe(0)
    const answers = await Promise.all([handler(up()), handler(up()), handler(up())])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(built).toBe(1)
  })

  it("closes its services when it is disposed of", async () => {
    let closed = 0
    const finalized = Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => closed++)))
    const { dispose, handler } = WebHandler.fromLayer(services.pipe(Layer.provide(finalized)))
    expect((await handler(up())).status).toBe(200)
    await dispose()
    expect(closed).toBe(1)
  })

  it("uses only the given base URL", async () => {
    const problem = async (handler: WebHandler.WebHandler) => {
      const answer = await handler(new Request("https://x.example/api/service/v1/projects"))
      const { type } = (await answer.json()) as { readonly type: string }
      return type
    }
    expect(await problem(make(services))).toBe("/problems/unauthorized")
    expect(await problem(make(services, { baseUrl: "https://errors.example" }))).toBe(
      "https://errors.example/problems/unauthorized",
    )
  })

  const named = (serviceName: string) => {
    const config = Layer.effect(
      ErrataConfig,
      Effect.map(ErrataConfig, (settings) => ({ ...settings, serviceName })),
    )
    return WebHandler.make().pipe(Effect.provide(Layer.mergeAll(services, config)), Effect.scoped)
  }

  it.each(["acme", "Acme_2.errors-eu", "..."])("serves the API under the service name %j", async (name) => {
    const handle = await Effect.runPromise(named(name))
    expect((await handle(new Request(`https://x.example/api/${name}/v1/projects`))).status).toBe(401)
    expect((await handle(new Request("https://x.example/api/service/v1/projects"))).status).toBe(404)
  })

  it.each(["", "a b", "a/b", ":a", "*", "é", ".", "..", "a\n", "a%20b"])(
    "does not start under the service name %j",
    async (name) => {
      const exit = await Effect.runPromiseExit(named(name))
      expect(String(exit)).toContain(`serviceName must consist of letters`)
    },
  )

  it("answers minimal requests", async () => {
    const handler = make(services)
    expect((await handler(new Request("https://errors.example"))).status).toBe(200)
    const empty = new Request("https://errors.example/api/1/envelope/", { method: "POST" })
    expect((await handler(empty)).status).toBe(401)
    const head = await handler(new Request("https://errors.example/up", { method: "HEAD" }))
    expect([head.status, head.body, await head.text()]).toEqual([200, null, ""])
  })

  it("handles bodies that break off or were already read", async () => {
    const errata = await start({ transport: "web" })
    disposals.push(errata.stop)
    const path = `/api/${errata.mine.id}/store/?sentry_key=${errata.mine.token}`
    const broken = new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(5)),
      pull: (controller) => controller.error(new Error("gone")),
    })
    const init = { method: "POST", body: broken, duplex: "half" } as RequestInit
    expect((await errata.fetch(path, init)).status).toBe(400)
    expect((await errata.fetch("/up")).status).toBe(200)
  })
})
