import { deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { decodePrefix } from "../src/ContentEncoding.js"
import { prefixInputBytes } from "../src/index.js"
import { brotli, compressedEnvelope, rawZstd, seeded } from "./support.js"

const header = '{"event_id":"9ec79c33ec9942ab8353589fcb2e04dc","dsn":"https://key@errors.example.com/1"}\n'
const next = seeded(3)
const noise = Buffer.from(Array.from({ length: 300_000 }, () => 32 + next(90)))
const envelope = Buffer.concat([Buffer.from(header), noise])
const max = 8 * 1024

const prefix = (body: Buffer, coding: string | undefined, maxBytes = max) =>
  Effect.runPromise(decodePrefix(body, coding, maxBytes))

const reasonOf = (body: Buffer, coding: string) =>
  Effect.runPromise(Effect.map(Effect.flip(decodePrefix(body, coding, max)), ({ reason }) => reason))

const codings: ReadonlyArray<readonly [coding: string, encode: (bytes: Buffer) => Buffer]> = [
  ["gzip", (bytes) => gzipSync(bytes)],
  ["deflate", (bytes) => deflateSync(bytes)],
  ["deflate", (bytes) => deflateRawSync(bytes)],
  ["br", (bytes) => brotli(bytes)],
  ["zstd", (bytes) => rawZstd(bytes.subarray(0, 100_000), bytes.subarray(100_000, 200_000))],
  ["gzip, gzip", (bytes) => gzipSync(gzipSync(bytes))],
  ["zstd, gzip", (bytes) => gzipSync(rawZstd(bytes.subarray(0, 100_000), bytes.subarray(100_000, 200_000)))],
  ["identity", (bytes) => bytes],
]

describe("decodePrefix", () => {
  it.each(codings)("returns the first bytes of %s, from a whole or partial body", async (coding, encode) => {
    const body = encode(envelope)
    expect((await prefix(body, coding)).equals(envelope.subarray(0, max))).toBe(true)
    expect((await prefix(body.subarray(0, 40_000), coding)).equals(envelope.subarray(0, max))).toBe(true)
    for (const length of [0, 1, 2, 5, 10, 100, 3000]) {
      const part = await prefix(body.subarray(0, length), coding)
      expect(envelope.subarray(0, part.length).equals(part), `${coding} of ${length} bytes`).toBe(true)
      if (length === 3000) expect(part.subarray(0, header.length).toString()).toBe(header)
    }
    expect((await prefix(body, coding, 10)).toString()).toBe(header.slice(0, 10))
  })

  it.each(codings)("needs no more input of %s than prefixInputBytes says", async (coding, encode) => {
    const body = encode(envelope)
    const enough = body.subarray(0, prefixInputBytes(coding, max))
    expect(enough.length).toBeLessThan(body.length)
    expect((await prefix(enough, coding)).equals(await prefix(body, coding))).toBe(true)
  })

  it("reads no more than that of a body without output", async () => {
    const name = Buffer.concat([Buffer.from([31, 139, 8, 8, 0, 0, 0, 0, 0, 3]), Buffer.alloc(50_000, "x")])
    const skipped = Buffer.alloc(300_000)
    skipped.writeUInt32LE(0x184d2a50, 0)
    skipped.writeUInt32LE(200_000, 4)
    for (const [coding, body] of [
      ["gzip", name],
      ["zstd", skipped],
    ] as const) {
      expect(prefixInputBytes(coding, max)).toBeLessThan(body.length)
      expect(await prefix(body, coding)).toHaveLength(0)
    }
  })

  it("returns the first bytes of a compressed zstd block", async () => {
    const whole = await prefix(compressedEnvelope, "zstd")
    expect(whole.toString().startsWith('{"event_id":"9ec79c33ec9942ab8353589fcb2e04dc"')).toBe(true)
    expect(await prefix(compressedEnvelope.subarray(0, compressedEnvelope.length - 10), "zstd")).toHaveLength(
      0,
    )
  })

  it.each([
    ["gzip", (bytes: Buffer) => gzipSync(bytes)],
    ["deflate", (bytes: Buffer) => deflateSync(bytes)],
    ["br", (bytes: Buffer) => brotli(bytes)],
    [
      "zstd",
      (bytes: Buffer) => rawZstd(bytes, ...Array.from({ length: 120 }, () => [48, 128 * 1024] as const)),
    ],
  ] as const)("returns the first bytes of a bomb in %s", async (coding, encode) => {
    const bomb = encode(
      Buffer.concat([Buffer.from(header), Buffer.alloc(coding === "zstd" ? 0 : 16_000_000, 48)]),
    )
    const part = await prefix(bomb, coding)
    expect(part.length).toBeLessThanOrEqual(max)
    expect(part.subarray(0, header.length).toString()).toBe(header)
  })

  it("ignores invalid encodings, and rejects unknown ones and invalid bodies", async () => {
    expect((await prefix(envelope, "utf-8")).equals(envelope.subarray(0, max))).toBe(true)
    expect(await reasonOf(envelope, "compress")).toBe("unknown_encoding")
    for (const coding of ["gzip", "br", "zstd"])
      expect(await reasonOf(envelope, coding)).toBe("invalid_encoding")
  })
})
