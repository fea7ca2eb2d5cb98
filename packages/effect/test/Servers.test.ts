/** The servers of Effect report their failures automatically. */
import { Effect, ErrorReporter, Layer, Logger, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiError, HttpApiGroup } from "effect/http-api"
import { Rpc, RpcGroup, RpcTest } from "effect/rpc"
import { afterEach, describe, expect, it } from "vitest"
import { errorsOf, reporting, type SentEvent, textsOf } from "./support/Events.js"

class OutOfTea extends Schema.TaggedError<OutOfTea>()(
  "OutOfTea",
  { kettle: Schema.String },
  { httpApiStatus: 503 },
) {}

class NoSuchTea extends Schema.TaggedError<NoSuchTea>()(
  "NoSuchTea",
  { id: Schema.Int },
  { httpApiStatus: 404 },
) {
  override readonly [ErrorReporter.ignore] = true
}

const brew = (id: number) =>
  Effect.gen(function* () {
    yield* Effect.logInfo(`Brewing tea ${id}`)
    switch (id) {
      case 1:
        return "Earl Grey"
      case 2:
        return yield* new OutOfTea({ kettle: "blue" })
      case 3:
        return yield* Effect.die(new RangeError("no cups"))
      default:
        return yield* new NoSuchTea({ id })
    }
  }).pipe(Effect.annotateLogs({ tea: id }), Effect.withSpan("brew"))

describe("HttpApi", () => {
  const Api = HttpApi.make("Teas").add(
    HttpApiGroup.make("teas").add(
      HttpApiEndpoint.get("getTea", "/teas/:id", {
        params: { id: Schema.FiniteFromString },
        success: Schema.String,
        error: [OutOfTea, NoSuchTea, HttpApiError.Conflict],
      }),
    ),
  )
  const teas = HttpApiBuilder.group(Api, "teas", (handlers) =>
    handlers.handle("getTea", ({ params: { id } }) => brew(id)),
  )
  const ends: Array<() => Promise<void>> = []
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })

  const serve = () => {
    const { events, layer } = reporting()
    const { dispose, handler } = HttpRouter.toWebHandler(
      HttpApiBuilder.layer(Api).pipe(
        Layer.provide(teas),
        Layer.provideMerge(Layer.merge(HttpServer.layerServices, layer)),
        Layer.provide(Logger.layer([])),
      ),
    )
    ends.push(dispose)
    const get = async (path: string) =>
      (await handler(new Request(`http://shop.example.com${path}`, { headers: { "x-table": "7" } }))).status
    return { events, get }
  }

  it("reports failures and defects once, and no expected answers", async () => {
    const { events, get } = serve()
    expect(await get("/teas/1")).toBe(200)
    expect(await get("/teas/2")).toBe(503)
    expect(await get("/teas/3")).toBe(500)
    expect(await get("/teas/4")).toBe(404)
    expect(await get("/teas/none")).toBe(400)
    expect(await get("/cakes")).toBe(404)
    expect(events.map(errorsOf)).toEqual([["OutOfTea: "], ["RangeError: no cups"]])
  })

  it("with the request, its route, its trace and its log", async () => {
    const { events, get } = serve()
    await get("/teas/3?milk=1")
    const [event] = events as [SentEvent]
    expect(event.request).toMatchObject({ method: "GET", url: "http://shop.example.com/teas/3?milk=1" })
    expect(event.transaction).toBe("GET /teas/:id")
    expect(event.contexts).toMatchObject({
      effect: { reasons: [{ kind: "defect", spans: expect.arrayContaining(["brew"]) }] },
      trace: { trace_id: expect.any(String), span_id: expect.any(String), op: "server" },
    })
    expect(textsOf(event)).toContain("Brewing tea 3")
  })
})

it("RPC reports failures and defects once, and no expected answers", async () => {
  const Teas = RpcGroup.make(
    Rpc.make("Brew", {
      payload: { id: Schema.Int },
      success: Schema.String,
      error: Schema.Union([OutOfTea, NoSuchTea]),
    }),
  )
  const handlers = Teas.toLayer({ Brew: ({ id }) => brew(id) })
  const { events, layer } = reporting()
  const program = Effect.gen(function* () {
    const client = yield* RpcTest.makeClient(Teas)
    for (const id of [1, 2, 4, 3]) yield* Effect.exit(client.Brew({ id }))
  })
  await Effect.runPromise(
    program.pipe(
      Effect.scoped,
      Effect.provide(Layer.provideMerge(handlers, layer)),
      Effect.provide(Logger.layer([])),
    ),
  )
  expect(events.map(errorsOf)).toEqual([["OutOfTea: "], ["RangeError: no cups"]])
  expect(events[0]!.transaction).toContain("Brew")
})
