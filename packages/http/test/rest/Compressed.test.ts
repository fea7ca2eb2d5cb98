import { request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { codingOf } from "../../src/AcceptedCoding.js"
import { start, type TestInstance } from "../support/TestInstance.js"

describe("the coding of an answer", () => {
  it.each([
    [undefined, "identity"],
    ["", "identity"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["GZIP;q=0.5, br;q=0.1", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["gzip;q=0, *", "br"],
    ["*;q=0", "identity"],
    ["identity", "identity"],
    ["deflate", "identity"],
  ])("for %s is %s", (accepted, coding) => {
    expect(codingOf(accepted)).toBe(coding)
  })
})

describe("documents", () => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start()
  })
  afterAll(() => errata.stop())

  // `fetch` takes the coding off by itself.
  const raw = (path: string, coding: string, method = "GET") =>
    new Promise<{ readonly headers: NodeJS.Dict<string | string[]>; readonly body: Buffer }>(
      (resolve, reject) => {
        request(`${errata.url}${path}`, { method, headers: { "accept-encoding": coding } }, (response) => {
          const chunks: Array<Buffer> = []
          response.on("data", (chunk) => chunks.push(chunk))
          response.on("end", () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }))
        })
          .on("error", reject)
          .end()
      },
    )

  it.each(["/api/service/v1/openapi.json", "/api/service/v1/docs"])(
    "%s is sent as small as its reader takes it",
    async (path) => {
      const plain = await raw(path, "identity")
      expect(plain.headers["content-encoding"]).toBeUndefined()
      expect(plain.headers["vary"]).toBe("accept-encoding")
      for (const [coding, decode] of [
        ["br", brotliDecompressSync],
        ["gzip", gunzipSync],
      ] as const) {
        const { body, headers } = await raw(path, coding)
        expect(headers["content-encoding"]).toBe(coding)
        expect(headers["vary"]).toBe("accept-encoding")
        expect(headers["content-type"]).toBe(plain.headers["content-type"])
        expect(headers["content-length"]).toBe(String(body.length))
        expect(body.length).toBeLessThan(plain.body.length / 3)
        expect(decode(body).equals(plain.body)).toBe(true)
        const head = await raw(path, coding, "HEAD")
        expect([head.headers["content-encoding"], head.body.length]).toEqual([coding, 0])
      }
    },
  )
})
