import { randomBytes } from "node:crypto"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { zstd } from "../../http/test/support/zstd.js"
import { decodePrefix } from "../src/index.js"

const line = `{"dsn":"https://${"a".repeat(32)}@errors.example/1"}\n`
const body = Buffer.concat([
  Buffer.from(line),
  Buffer.from(randomBytes(300_000).toString("latin1"), "latin1"),
])

const outcome = (prefix: Buffer, encoding: string | undefined, maxBytes = 8193) =>
  Effect.runPromise(
    Effect.match(decodePrefix(prefix, encoding, maxBytes), {
      onFailure: ({ reason }) => reason,
      onSuccess: (bytes) => bytes,
    }),
  )

const encodings: ReadonlyArray<readonly [string, Buffer]> = [
  ["identity", body],
  ["gzip", gzipSync(body)],
  ["deflate", deflateSync(body)],
  ["deflate", deflateRawSync(body)],
  ["br", brotliCompressSync(body)],
  ["zstd", zstd(body)],
  ["gzip, br", brotliCompressSync(gzipSync(body))],
  ["gzip, zstd", zstd(gzipSync(body))],
  ["zstd, gzip", gzipSync(zstd(body))],
]

describe("decodePrefix", () => {
  it.each(encodings)(
    "finds the first line of %s in what has arrived, and no more than asked for",
    async (encoding, encoded) => {
      const decoded = await outcome(encoded.subarray(0, 200_000), encoding)
      expect(decoded).toBeInstanceOf(Buffer)
      expect(Buffer.compare(decoded as Buffer, body.subarray(0, 8193))).toBe(0)
    },
  )

  it.each(encodings)(
    "gives the beginning of what there is of %s, however little",
    async (encoding, encoded) => {
      for (const size of [0, 1, 2, 5, 9, 20, 100, 1000]) {
        const decoded = (await outcome(encoded.subarray(0, size), encoding)) as Buffer
        expect(decoded).toBeInstanceOf(Buffer)
        expect(Buffer.compare(decoded, body.subarray(0, decoded.length))).toBe(0)
      }
    },
  )

  it("decodes no more of a bomb than is asked for", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 97))
    expect(await outcome(bomb, "gzip")).toHaveLength(8193)
    expect(await outcome(gzipSync(bomb), "gzip, gzip")).toHaveLength(8193)
  })

  it.each(["gzip", "deflate", "br", "zstd"])("refuses what is no %s", async (encoding) => {
    expect(await outcome(Buffer.from("certainly not encoded at all"), encoding)).toBe("invalid_encoding")
  })

  it("refuses codings that nobody knows", async () => {
    expect(await outcome(Buffer.from(line), "rot13")).toBe("unknown_encoding")
  })
})
