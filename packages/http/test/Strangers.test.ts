import { randomBytes } from "node:crypto"
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { RawSocket } from "./support/RawSocket.js"
import { adminKey, start, type TestInstance } from "./support/TestInstance.js"

const MiB = 1024 * 1024

describe("A sender before its key is verified", () => {
  let errata: TestInstance
  let path: string

  beforeAll(async () => {
    errata = await start()
    path = `/api/${errata.mine.id}/envelope/`
  })
  afterAll(() => errata.stop())

  const open = () => RawSocket.open(errata.port)
  const head = (headers: ReadonlyArray<string>, to = path) =>
    `${[`POST ${to} HTTP/1.1`, "host: localhost", ...headers].join("\r\n")}\r\n\r\n`
  const dsnOf = (token: string) => `https://${token}@errors.example/${errata.mine.id}`
  const header = (dsn?: string) => `${JSON.stringify({ event_id: "a".repeat(32), dsn })}\n`
  const alive = async (id: string) => {
    const { json, status } = await errata.fetch(
      `/api/${errata.mine.id}/store/?sentry_key=${errata.mine.token}`,
      { method: "POST", body: JSON.stringify({ event_id: id, message: "x" }) },
    )
    expect([status, json]).toEqual([200, { id }])
  }

  const codings = [
    ["identity", (bytes: Buffer) => bytes],
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ] as const

  it.each(codings)(
    "is answered after the first line of an envelope, in %s, before the end of the body",
    async (coding, encode) => {
      for (const [line, status] of [
        [header(), 401],
        [header(dsnOf("0".repeat(32))), 403],
        [header(`https://${errata.mine.token}@errors.example/${errata.theirs.id}`), 403],
        ["x".repeat(9000), 413],
        ["no json\n", 400],
      ] as const) {
        const socket = await open()
        const encoded = encode(Buffer.concat([Buffer.from(line), randomBytes(200_000)]))
        socket.write(head([`content-length: ${16 * MiB}`, `content-encoding: ${coding}`]))
        socket.write(encoded.subarray(0, encoded.length - 20))
        expect([line.slice(0, 80), (await socket.response()).status]).toEqual([line.slice(0, 80), status])
        socket.abort()
      }
    },
  )

  it.each(codings)("is identified by the key in the first line, in %s", async (coding, encode) => {
    const id = "b".repeat(31) + codings.findIndex(([name]) => name === coding)
    const event = JSON.stringify({ event_id: id, message: "x".repeat(100_000) })
    const body = encode(
      Buffer.from(`{"event_id":"${id}","dsn":"${dsnOf(errata.mine.token)}"}\n{"type":"event"}\n${event}`),
    )
    const socket = await open()
    socket.write(head([`content-length: ${body.length}`, `content-encoding: ${coding}`]))
    for (let at = 0; at < body.length; at += 20_000) await socket.send(body.subarray(at, at + 20_000))
    expect(await socket.response()).toMatchObject({ status: 200, body: `{"id":"${id}"}` })
    socket.abort()
  })

  it("does not block other senders", async () => {
    const sockets: Array<RawSocket> = []
    for (const line of [header(), "{", header(), "{"]) {
      const socket = await open()
      socket.write(head([`content-length: ${16 * MiB}`]))
      await socket.send(Buffer.concat([Buffer.from(line), Buffer.alloc(16 * MiB - line.length - 1, "x")]))
      sockets.push(socket)
    }
    await alive("c".repeat(32))
    expect(
      (await Promise.all(sockets.map((socket) => socket.response()))).map(({ status }) => status),
    ).toEqual([401, 413, 401, 413])
    for (const socket of sockets) socket.abort()
  })

  it("does not block others at its address with endless first lines", async () => {
    const gzipName = Buffer.from([31, 139, 8, 8, 0, 0, 0, 0, 0, 3])
    const zstdBlock = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, 0xfc, 0xff, 0x0f])
    const hostile: Array<readonly [coding: string, start: Buffer, bytes: number, status: number | null]> = [
      ["gzip", gzipName, 200_000, 413],
      ["gzip", gzipName, 5_000, null],
      ["zstd", zstdBlock, 120_000, null],
    ]
    const sockets: Array<readonly [socket: RawSocket, status: number | null]> = []
    for (const [coding, start, bytes, status] of hostile) {
      for (let i = 0; i < 10; i++) {
        const socket = await open()
        socket.write(head(["content-length: 420000", `content-encoding: ${coding}`]))
        await socket.send(Buffer.concat([start, Buffer.alloc(bytes, "x")]))
        sockets.push([socket, status])
      }
    }
    for (const [socket, status] of sockets) {
      if (status !== null) expect((await socket.response()).status).toBe(status)
    }
    const id = "f".repeat(32)
    const socket = await open()
    const body = `{"event_id":"${id}","dsn":"${dsnOf(errata.mine.token)}"}\n{"type":"event"}\n{"message":"x"}`
    socket.write(head([`content-length: ${body.length}`]) + body)
    expect((await socket.response()).body).toBe(`{"id":"${id}"}`)
    // The event did not wait for the other requests.
    expect(sockets.map(([{ received }]) => received)).toEqual(sockets.map(() => ""))
    for (const [socket] of sockets) socket.abort()
    socket.abort()
  })

  it("does not block others with unfinished bodies, even with a valid key", async () => {
    const sockets: Array<RawSocket> = []
    for (let i = 0; i < 6; i++) {
      const socket = await open()
      socket.write(head([`content-length: ${16 * MiB}`], `${path}?sentry_key=${errata.mine.token}`))
      socket.write(Buffer.concat([Buffer.from("{}\n"), Buffer.alloc(16 * MiB - 4, "x")]))
      sockets.push(socket)
    }
    for (let i = 0; i < 20; i++) await alive(`d${i}`.padEnd(32, "0"))
    for (const socket of sockets) socket.abort()
  })

  it("receives no 100 Continue if its key is missing or wrong", async () => {
    for (const [to, status] of [
      [`/api/${errata.mine.id}/store/`, 401],
      [`/api/${errata.mine.id}/store/?sentry_key=${"0".repeat(32)}`, 403],
      [`${path}?sentry_key=${"0".repeat(32)}`, 403],
      [`/api/service/v1/projects`, 401],
    ] as const) {
      const socket = await open()
      socket.write(head(["content-length: 1000", "expect: 100-continue"], to))
      const response = await socket.response()
      expect([to, response.status, response.headers["connection"]]).toEqual([to, status, "close"])
      await socket.until(({ closed }) => closed, "the end of the connection")
    }
    const member = await open()
    const forbidden = ["content-length: 1000", "expect: 100-continue", "authorization: Bearer errata_nobody"]
    member.write(head(forbidden, "/api/service/v1/projects"))
    expect((await member.response()).status).toBe(401)
    const admin = await open()
    const allowed = ["content-length: 13", "expect: 100-continue", `authorization: Bearer ${adminKey}`]
    admin.write(head([...allowed, "content-type: application/json"], "/api/service/v1/projects"))
    expect((await admin.response()).status).toBe(100)
    admin.write('{"name":"new"}'.slice(0, 13))
    expect((await admin.response()).status).toBe(400)
    admin.abort()
  })

  it("is answered after it has closed its half of the connection, and its event is stored", async () => {
    const id = "e".repeat(32)
    const body = JSON.stringify({ event_id: id, message: "half" })
    const store = `/api/${errata.mine.id}/store/?sentry_key=${errata.mine.token}`
    const socket = await open()
    socket.write(head([`content-length: ${body.length}`], store) + body)
    socket.finish()
    expect(await socket.response()).toMatchObject({ status: 200, body: `{"id":"${id}"}` })
    await socket.until(({ closed }) => closed, "the end of the connection")
    await errata.record()
    expect((await errata.api(`/projects/${errata.mine.id}/reports/${id}`)).status).toBe(200)
    // An incomplete request is rejected.
    const half = await open()
    half.write(head([`content-length: ${body.length}`], store) + body.slice(0, 10))
    half.finish()
    expect((await half.response()).status).toBe(400)
    await half.until(({ closed }) => closed, "the end of the connection")
  })
})
