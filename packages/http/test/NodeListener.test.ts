import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as BrokenStores from "./support/BrokenStores.js"
import { RawSocket } from "./support/RawSocket.js"
import { adminKey, start, type TestInstance } from "./support/TestInstance.js"

const MiB = 1024 * 1024

describe("NodeListener", () => {
  const failing: BrokenStores.Failing = { mode: "work" }
  let errata: TestInstance
  let store: string
  let group: string

  beforeAll(async () => {
    errata = await start({}, BrokenStores.layer(failing))
    store = `/api/${errata.mine.id}/store/?sentry_key=${errata.mine.token}`
    const { group_id } = await errata.report({ message: "there" })
    group = `/api/service/v1/projects/${errata.mine.id}/groups/${group_id}`
  })
  afterAll(() => errata.stop())

  const open = () => RawSocket.open(errata.port)
  const head = (method: string, path: string, headers: ReadonlyArray<string> = []) =>
    `${[`${method} ${path} HTTP/1.1`, "host: localhost", ...headers].join("\r\n")}\r\n\r\n`
  const authorized = (method: string, path: string, headers: ReadonlyArray<string> = []) =>
    head(method, path, [`authorization: Bearer ${adminKey}`, ...headers])
  const event = (id: string) => {
    const body = JSON.stringify({ event_id: id, message: "x" })
    return head("POST", store, [`content-length: ${body.length}`]) + body
  }
  const idOf = (i: number) => i.toString(16).padStart(32, "0")
  const alive = async () => expect((await errata.fetch("/up")).status).toBe(200)

  it("sends 204 without body, type and length", async () => {
    const socket = await open()
    for (const [method, path] of [
      ["POST", `${group}/resolve`],
      ["DELETE", `${group}/resolve`],
      ["POST", `${group}/mute`],
      ["DELETE", `${group}/mute`],
      ["OPTIONS", store],
    ] as const) {
      socket.write(authorized(method, path))
      const { body, headers, status } = await socket.response(method)
      expect([method, path, status, body]).toEqual([method, path, 204, ""])
      expect(headers["content-type"]).toBeUndefined()
      expect(headers["content-length"]).toBeUndefined()
      expect(headers["transfer-encoding"]).toBeUndefined()
    }
    expect(socket.received).toBe("")
    socket.abort()
  })

  it("answers HEAD like GET, without the body", async () => {
    const socket = await open()
    for (const path of [
      "/up",
      group,
      `${group}/reports`,
      `${group}x`,
      "/nowhere",
      "/api/service/v1/projects",
    ]) {
      socket.write(authorized("GET", path))
      const get = await socket.response("GET")
      socket.write(authorized("HEAD", path))
      const { headers, status } = await socket.response("HEAD")
      expect([path, status]).toEqual([path, get.status])
      expect(headers["content-type"]).toBe(get.headers["content-type"])
      expect(headers["content-length"]).toBe(get.headers["content-length"])
      expect(headers["content-length"]).toBe(String(get.body.length))
    }
    socket.write(head("HEAD", store))
    expect((await socket.response("HEAD")).status).toBe(405)
    expect(socket.received).toBe("")
    socket.abort()
  })

  it("answers pipelined requests in their order", async () => {
    const socket = await open()
    const kinds = Array.from({ length: 60 }, (_, i) => i % 3)
    socket.write(
      kinds
        .map((kind, i) =>
          kind === 0
            ? event(idOf(i))
            : kind === 1
              ? head("GET", "/up")
              : authorized("GET", `${group}?i=${i}`),
        )
        .join(""),
    )
    const responses = await socket.responses(kinds.map((kind) => (kind === 0 ? "POST" : "GET")))
    for (const [i, { body, status }] of responses.entries()) {
      expect(status).toBe(200)
      if (kinds[i] === 0) expect(body).toBe(`{"id":"${idOf(i)}"}`)
      else if (kinds[i] === 1) expect(body).toBe("up")
      else expect(JSON.parse(body)).toHaveProperty("grouping")
    }
    expect(socket.received).toBe("")
    socket.abort()
  })

  it("accepts bodies in pieces, with and without a length", async () => {
    const socket = await open()
    const body = JSON.stringify({ event_id: idOf(1000), message: "x".repeat(100) })
    socket.write(head("POST", store, [`content-length: ${body.length}`]))
    for (const character of body) socket.write(character)
    expect((await socket.response()).body).toBe(`{"id":"${idOf(1000)}"}`)
    socket.write(head("POST", store, ["transfer-encoding: chunked"]))
    for (let at = 0; at < body.length; at += 7) {
      const part = body.slice(at, at + 7)
      socket.write(`${part.length.toString(16)}\r\n${part}\r\n`)
    }
    socket.write("0\r\n\r\n")
    expect((await socket.response()).body).toBe(`{"id":"${idOf(1000)}"}`)
    socket.abort()
  })

  it("answers 100 when a client expects it", async () => {
    const socket = await open()
    const body = JSON.stringify({ event_id: idOf(2000), message: "x" })
    socket.write(head("POST", store, [`content-length: ${body.length}`, "expect: 100-continue"]))
    expect((await socket.response()).status).toBe(100)
    socket.write(body)
    expect(await socket.response()).toMatchObject({ status: 200, body: `{"id":"${idOf(2000)}"}` })
    const mute = authorized("POST", `${group}/mute`, ["content-length: 2", "expect: 100-continue"])
    socket.write(mute)
    expect((await socket.response()).status).toBe(100)
    socket.write("{}")
    expect((await socket.response()).status).toBe(204)
    socket.abort()
  })

  it("rejects bodies that are too large, without 100 Continue first", async () => {
    for (const [request, limit] of [
      [(headers: ReadonlyArray<string>) => head("POST", store, headers), 16 * MiB],
      [(headers: ReadonlyArray<string>) => authorized("POST", `${group}/mute`, headers), MiB],
    ] as const) {
      const socket = await open()
      socket.write(request([`content-length: ${limit + 1}`, "expect: 100-continue"]))
      expect((await socket.response()).status).toBe(413)
      socket.abort()
    }
  })

  it("rejects an announced size immediately, and lets the sender finish", async () => {
    const socket = await open()
    const size = 17 * MiB
    socket.write(head("POST", store, [`content-length: ${size}`]))
    const { headers, status } = await socket.response()
    expect(status).toBe(413)
    expect(headers["access-control-allow-origin"]).toBe("*")
    for (let sent = 0; sent < size / 2; sent += MiB) socket.write(Buffer.alloc(MiB))
    expect(socket.closed).toBe(false)
    socket.abort()
    await alive()
  })

  it("answers unknown senders before their body arrives", async () => {
    const socket = await open()
    const path = `/api/${errata.mine.id}/store/?sentry_key=${"0".repeat(32)}`
    socket.write(head("POST", path, ["content-length: 1000000"]))
    expect((await socket.response()).status).toBe(403)
    // The rest of the body is discarded, and the connection stays open.
    socket.write(Buffer.alloc(1_000_000))
    socket.write(head("GET", "/up"))
    expect((await socket.response("GET")).body).toBe("up")
    socket.abort()
  })

  it("closes the connection of an endless body", async () => {
    const socket = await open()
    socket.write(head("POST", store, ["transfer-encoding: chunked"]))
    const chunk = Buffer.concat([
      Buffer.from(`${MiB.toString(16)}\r\n`),
      Buffer.alloc(MiB),
      Buffer.from("\r\n"),
    ])
    for (let sent = 0; !socket.closed && sent < 200; sent++) await socket.send(chunk)
    await socket.until(({ closed }) => closed, "the end of the connection")
    expect(socket.received).toMatch(/^HTTP\/1\.1 413 /)
    await alive()
  })

  it("releases the memory of aborted uploads", async () => {
    // More than the memory for bodies, if any were kept.
    for (let i = 0; i < 12; i++) {
      const socket = await open()
      socket.write(head("POST", store, [`content-length: ${16 * MiB}`]))
      await socket.send(Buffer.alloc(15 * MiB))
      socket.abort()
    }
    const socket = await open()
    socket.write(event(idOf(3000)))
    expect((await socket.response()).status).toBe(200)
    socket.abort()
  })

  it("handles clients that disconnect before the answer", async () => {
    const gate = BrokenStores.closeGate(failing)
    const ids = Array.from({ length: 5 }, (_, i) => idOf(4000 + i))
    for (const id of ids) {
      const socket = await open()
      await socket.send(event(id))
      if (id === ids[0]) await gate.waiting(1)
      socket.abort()
    }
    gate.open()
    await alive()
    await errata.record()
    // Bodies that have arrived completely are accepted.
    const report = await errata.api(`/projects/${errata.mine.id}/reports/${ids[0]}`)
    expect(report.status).toBe(200)
    expect(errata.logs.filter((line) => line.includes("level=ERROR"))).toEqual([])
  })

  it("accepts absolute URLs, as proxies send them", async () => {
    const socket = await open()
    const body = JSON.stringify({ event_id: idOf(5000), message: "x" })
    socket.write(head("POST", `http://localhost${store}`, [`content-length: ${body.length}`]) + body)
    expect((await socket.response()).body).toBe(`{"id":"${idOf(5000)}"}`)
    socket.write(head("GET", "http://localhost/up"))
    expect((await socket.response("GET")).body).toBe("up")
    socket.abort()
  })

  it.each([
    ["no HTTP", "hello\r\n\r\n"],
    ["two lengths", "POST /up HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n"],
    [
      "length and chunks",
      "POST /up HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a header without end", `GET /up HTTP/1.1\r\nx: ${"x".repeat(40_000)}`],
    ["a bad chunk", `POST /api/1/store/ HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`],
  ])("answers %s with 4xx, and closes the connection", async (_, bytes) => {
    const socket = await open()
    socket.write(bytes)
    await socket.until(({ closed }) => closed, "the end of the connection")
    expect(socket.received).toMatch(/^HTTP\/1\.1 4\d\d /)
    await alive()
  })

  it("serves many connections concurrently", async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const socket = await open()
        socket.write(event(idOf(6000 + i)))
        const { body } = await socket.response()
        socket.abort()
        return body
      }),
    )
    expect(answers).toEqual(answers.map((_, i) => `{"id":"${idOf(6000 + i)}"}`))
  })
})

describe("NodeListener with a short timeout", () => {
  it("closes the connections of slow senders", async () => {
    const errata = await start({ requestTimeout: "300 millis" })
    const { id, token } = errata.mine
    const slowBody = await RawSocket.open(errata.port)
    slowBody.write(
      `POST /api/${id}/store/?sentry_key=${token} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{`,
    )
    const slowHeader = await RawSocket.open(errata.port)
    slowHeader.write("GET /up HTTP/1.1\r\nhost")
    for (const socket of [slowBody, slowHeader]) {
      await socket.until(({ closed }) => closed, "the end of the connection")
      expect(socket.received).toMatch(/^HTTP\/1\.1 408 /)
    }
    // The head may be late too, if the machine is stalled.
    const up = async () => (await errata.fetch("/up")).status
    await expect.poll(up, { timeout: 20_000 }).toBe(200)
    await errata.stop()
  })
})
