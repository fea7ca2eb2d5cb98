import { Services } from "@errata/core"
import { SentryPayloadDecoder } from "@errata/sentry"
import { MemoryStorage } from "@errata/storage-memory"
import { Effect, Exit, Layer, Scope } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { ErrataServer, ListenError } from "../src/index.js"
import * as BrokenStores from "./support/BrokenStores.js"
import { RawSocket } from "./support/RawSocket.js"
import { adminKey, start, type TestInstance } from "./support/TestInstance.js"

describe("ErrataServer", () => {
  let errata: TestInstance | undefined
  afterEach(() => errata?.stop())

  const sendEvent = async (instance: TestInstance) => {
    const socket = await RawSocket.open(instance.port)
    const { id, token } = instance.mine
    socket.write(
      `POST /api/${id}/store/?sentry_key=${token} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`,
    )
    return socket
  }

  it("reports its port, and uses it in its base URL", async () => {
    errata = await start()
    const server = await errata.run(ErrataServer)
    expect(server.port).toBeGreaterThan(0)
    expect(server).toEqual({
      host: "127.0.0.1",
      port: server.port,
      baseUrl: `http://127.0.0.1:${server.port}`,
    })
    const problem = await errata.api("/projects", { key: null })
    expect(problem.json.type).toBe(`${server.baseUrl}/problems/unauthorized`)
  })

  it("uses the given base URL", async () => {
    errata = await start({ baseUrl: "https://errors.example/" })
    expect((await errata.run(ErrataServer)).baseUrl).toBe("https://errors.example")
  })

  it("fails if the port is taken", async () => {
    errata = await start()
    const layer = ErrataServer.layer({ host: "127.0.0.1", port: errata.port }).pipe(
      Layer.provide(Services.layer),
      Layer.provide([MemoryStorage.layer, SentryPayloadDecoder.layer()]),
    )
    const error = await Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(layer))))
    expect(error).toBeInstanceOf(ListenError)
    expect(error.message).toContain(`127.0.0.1:${errata.port}`)
  })

  it("answers pending requests before it stops, and closes idle connections", async () => {
    const failing: BrokenStores.Failing = { mode: "work" }
    errata = await start({}, BrokenStores.layer(failing))
    const idle = await RawSocket.open(errata.port)
    idle.write("GET /up HTTP/1.1\r\nhost: x\r\n\r\n")
    await idle.response("GET")

    const gate = BrokenStores.closeGate(failing)
    const waiting = await sendEvent(errata)
    await gate.waiting(1)
    let stopped = false
    const stop = errata.stop().then(() => {
      stopped = true
    })
    await idle.until(({ closed }) => closed, "the end of the idle connection")
    await expect(RawSocket.open(errata.port)).rejects.toThrow("ECONNREFUSED")
    expect([waiting.closed, waiting.received, stopped]).toEqual([false, "", false])

    gate.open()
    expect((await waiting.response()).status).toBe(200)
    await stop
    await waiting.until(({ closed }) => closed, "the end of the connection")
  })

  it("stops within its timeout while clients keep connecting", async () => {
    const failing: BrokenStores.Failing = { mode: "work" }
    const { port, ...running } = await start({ shutdownTimeout: "200 millis" }, BrokenStores.layer(failing))
    errata = { port, ...running }
    const gate = BrokenStores.closeGate(failing)
    const waiting = await sendEvent(errata)
    await gate.waiting(1)
    const stop = errata.stop()
    const connecting = Array.from({ length: 5 }, async () => {
      while (!waiting.closed) (await RawSocket.open(port)).abort()
    })
    await Promise.allSettled(connecting)
    const { headers, status } = await waiting.response()
    expect([status, headers["retry-after"], headers["connection"]]).toEqual([503, "2", "close"])
    await waiting.until(({ closed }) => closed, "the end of the connection")
    // The write itself continues.
    gate.open()
    await stop
  })

  it("answers requests that arrived during a pause, just before it closes idle connections", async () => {
    const running = await start()
    errata = running
    const sockets = await Promise.all(Array.from({ length: 20 }, () => RawSocket.open(running.port)))
    const up = "GET /up HTTP/1.1\r\nhost: x\r\n\r\n"
    for (const socket of sockets) {
      socket.write(up)
      expect((await socket.response("GET")).status).toBe(200)
    }
    const [last, ...idle] = sockets as [RawSocket, ...Array<RawSocket>]
    const stop = running.stop()
    const isLast = async () => (await last.response("GET")).headers["connection"] === "close"
    // From then on, the time for closing runs.
    do last.write(up)
    while (!(await isLast()))
    for (const socket of idle) socket.write(up)
    // The kernel has the requests. Nothing of this process runs until the time for closing is over.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
    for (const socket of idle) expect((await socket.response("GET")).status).toBe(200)
    await stop
  })

  it("closes a connection after its last response", async () => {
    const failing: BrokenStores.Failing = { mode: "work" }
    errata = await start({}, BrokenStores.layer(failing))
    const idle = await RawSocket.open(errata.port)
    const gate = BrokenStores.closeGate(failing)
    const waiting = await sendEvent(errata)
    await gate.waiting(1)
    const stop = errata.stop()
    await idle.until(({ closed }) => closed, "the end of the idle connection")
    waiting.write(
      `GET /api/service/v1/projects HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${adminKey}\r\n\r\n`,
    )
    await gate.waiting(2)
    gate.open()
    const [first, second] = await waiting.responses(["POST", "GET"])
    expect([first?.status, second?.status]).toEqual([200, 200])
    expect(second?.headers["connection"]).toBe("close")
    await stop
  })

  it("closes with its scope", async () => {
    const scope = await Effect.runPromise(Scope.make())
    const layer = ErrataServer.layer({ host: "127.0.0.1", port: 0 }).pipe(
      Layer.provide(Services.layer),
      Layer.provide([MemoryStorage.layer, SentryPayloadDecoder.layer()]),
    )
    const { port } = await Effect.runPromise(
      Effect.provide(ErrataServer, await Effect.runPromise(Layer.buildWithScope(layer, scope))),
    )
    expect((await fetch(`http://127.0.0.1:${port}/up`)).status).toBe(200)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await expect(fetch(`http://127.0.0.1:${port}/up`)).rejects.toThrow()
  })
})
