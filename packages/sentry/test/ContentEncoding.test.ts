import { brotliDecompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { Effect, Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decodeBody } from "../src/ContentEncoding.js"
import { decodeBodySync, type SentryRejection } from "../src/index.js"
import { inflateInSteps } from "../src/internal/inflate.js"
import { brotli, seeded, rawZstd as zstd } from "./support.js"

const MiB = 1024 * 1024
const max = 16 * MiB

const decode = (body: Buffer, coding: string | undefined, maxBytes = max) =>
  Effect.runPromise(decodeBody(body, coding, maxBytes))

const reasonOf = (body: Buffer, coding: string | undefined, maxBytes = max) =>
  Effect.runPromise(
    decodeBody(body, coding, maxBytes).pipe(
      Effect.flip,
      Effect.map((rejection: SentryRejection) => rejection.reason),
    ),
  )

const text = Buffer.from(JSON.stringify({ message: "Grüße ".repeat(200) }))
const next = seeded(7)
const large = Buffer.from(Array.from({ length: 2 * MiB }, () => 32 + next(90)))

// Output of the `zstd` command for a sentence sixteen times: one compressed block and a checksum.
const sentences = "Errata reads what others send. ".repeat(16)
const compressedSentences = Buffer.from(
  "KLUv/QRoLQEA8sEGDOBtAPJ6V7gtKi0aLAWpud6H0Iqm7InnNfqPAQA7C1U5AdHNoGQ=",
  "base64",
)

describe("ContentEncoding", () => {
  it.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["GZIP ", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotli],
  ] as const)("decodes %s, small and large", async (coding, encode) => {
    expect((await decode(encode(text), coding)).equals(text)).toBe(true)
    expect((await decode(encode(large), coding)).equals(large)).toBe(true)
    expect(decodeBodySync(encode(large), coding, max)).toBeNull()
  })

  it("decodes zstd", async () => {
    expect((await decode(zstdCompressSync(large), "zstd")).equals(large)).toBe(true)
    expect((await decode(compressedSentences, "zstd")).toString()).toBe(sentences)
    expect((await decode(zstd(text), "zstd")).equals(text)).toBe(true)
    const parts = [large.subarray(0, 100_000), large.subarray(100_000, 200_000)]
    expect((await decode(zstd(...parts), "zstd")).equals(large.subarray(0, 200_000))).toBe(true)
    expect(
      (await decode(zstd([65, 9], text), "zstd")).equals(Buffer.concat([Buffer.from("AAAAAAAAA"), text])),
    ).toBe(true)
    const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2])
    expect((await decode(Buffer.concat([skippable, zstd(text), zstd(text)]), "zstd")).length).toBe(
      2 * text.length,
    )
  })

  it.each([
    undefined,
    "",
    " ",
    "identity",
    "UTF-8",
    "utf8",
    "iso-8859-1",
    "none",
    "text/plain; charset=utf-8",
    "*",
    ",",
  ])("ignores %j", async (coding) => {
    expect((await decode(text, coding)).equals(text)).toBe(true)
  })

  it.each(["compress", "snappy", "lz4", "foo", "gzip, foo", "gzip,gzip,gzip,gzip,gzip"])(
    "refuses %s",
    async (coding) => {
      expect(await reasonOf(text, coding)).toBe("unknown_encoding")
    },
  )

  it("decodes lists of codings from the last to the first", async () => {
    expect((await decode(gzipSync(brotli(text)), "br, gzip")).equals(text)).toBe(true)
    expect((await decode(gzipSync(text), "identity, gzip")).equals(text)).toBe(true)
    expect((await decode(deflateSync(zstd(text)), "zstd,deflate")).equals(text)).toBe(true)
  })

  it("rejects bodies that are still compressed after growing many times", async () => {
    // At most 30 KB, but a second of work for the second coding if it got that far.
    const blocks = Buffer.alloc(10 * MiB, deflateSync(Buffer.alloc(0)).subarray(2, -4))
    expect(await reasonOf(gzipSync(blocks), "deflate, gzip")).toBe("too_large")
    expect(await reasonOf(deflateSync(gzipSync(blocks)), "deflate, gzip, deflate")).toBe("too_large")
  })

  it("keeps an empty body empty", async () => {
    expect((await decode(Buffer.alloc(0), "gzip")).length).toBe(0)
  })

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotli],
    ["zstd", zstd],
  ] as const)("rejects truncated and invalid bytes in %s", async (coding, encode) => {
    const body = encode(text)
    for (const cut of [1, 5, body.length >> 1, body.length - 1]) {
      expect(await reasonOf(body.subarray(0, cut), coding), `cut at ${cut}`).toBe("invalid_encoding")
    }
    const bytes = Buffer.concat([encode(large.subarray(0, 60_000))])
    expect(await reasonOf(bytes.subarray(0, bytes.length - 9), coding)).toBe("invalid_encoding")
    if (coding !== "deflate") expect(await reasonOf(text, coding)).toBe("invalid_encoding")
  })

  it("limits the output of every decoding step", async () => {
    const zeros = Buffer.alloc(64 * MiB)
    for (const [coding, bomb] of [
      ["gzip", gzipSync(zeros)],
      ["deflate", deflateSync(zeros)],
      ["deflate", deflateRawSync(zeros)],
      ["br", brotli(zeros)],
      ["gzip, gzip", gzipSync(gzipSync(zeros))],
      ["zstd", zstd(...Array.from({ length: 200 }, () => [0, 128 * 1024] as const))],
      ["zstd, gzip", gzipSync(zstd(...Array.from({ length: 200 }, () => [0, 128 * 1024] as const)))],
    ] as const) {
      expect(bomb.length).toBeLessThan(256 * 1024)
      expect(await reasonOf(bomb, coding), coding).toBe("too_large")
    }
    expect(await reasonOf(Buffer.alloc(101), undefined, 100)).toBe("too_large")
    expect(await reasonOf(gzipSync(Buffer.alloc(101)), "gzip", 100)).toBe("too_large")
    expect((await decode(gzipSync(Buffer.alloc(100)), "gzip", 100)).length).toBe(100)
  })

  it("refuses zstd frames that declare too much", async () => {
    const withWindow = (descriptor: number) => {
      const frame = zstd(text)
      frame[5] = descriptor
      return frame
    }
    expect((await decode(withWindow(0x50), "zstd")).equals(text)).toBe(true)
    expect((await decode(withWindow(0x70), "zstd")).equals(text)).toBe(true)
    expect(await reasonOf(withWindow(0xff), "zstd")).toBe("too_large")
    expect(await reasonOf(withWindow(0x80), "zstd")).toBe("too_large")
    const sized = Buffer.from("28b52ffde0ffffffffffffff7f010000", "hex")
    expect(await reasonOf(sized, "zstd")).toBe("too_large")
    expect(await reasonOf(Buffer.from("28b52ffd21010001010000", "hex"), "zstd")).toBe("unknown_encoding")
    const frames = (count: number) => Buffer.concat(Array.from({ length: count }, () => zstd(text)))
    expect((await decode(frames(64), "zstd")).length).toBe(64 * text.length)
    expect(await reasonOf(frames(65), "zstd")).toBe("invalid_encoding")
    expect(await reasonOf(frames(3), "zstd", 2 * text.length)).toBe("too_large")
  })

  it("limits the output of a zstd block to the block size", async () => {
    // One block of a few bytes that declares 98,047 matches of 64 KiB: codes of fixed value, no bits needed.
    const block = Buffer.from([0x00, 0xff, 0xff, 0xff, 0x54, 0, 0, 52, 0, 0, 0x80])
    const header = Buffer.alloc(3)
    header.writeUIntLE((block.length << 3) | 4, 0, 3)
    const body = Buffer.concat([
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50]),
      ...Array.from({ length: 10 }, () => Buffer.concat([header, block])),
      Buffer.from([1, 0, 0]),
    ])
    expect(await reasonOf(body, "zstd")).toBe("invalid_encoding")
    expect((await decode(zstd(text), "zstd")).equals(text)).toBe(true)
  })

  it("rejects zstd with too many blocks by their headers", async () => {
    const blocks = (count: number) => zstd(...Array.from({ length: count }, () => Buffer.from("a")))
    expect((await decode(blocks(16 * 1024), "zstd")).length).toBe(16 * 1024)
    expect(await reasonOf(blocks(16 * 1024 + 1), "zstd")).toBe("too_large")
  })

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotli],
    ["zstd", zstdCompressSync],
  ] as const)("stops decoding %s that takes too long", async (coding, encode) => {
    const body = encode(large)
    let time = 0
    const run = (maxMillis: number) =>
      Effect.runPromise(Effect.result(inflateInSteps(body, coding, max, { maxMillis, now: () => time++ })))
    const steps = Math.ceil(body.length / (64 * 1024))
    expect((await run(steps + 1)).pipe(Result.getOrThrow).equals(large)).toBe(true)
    expect(await run(steps - 2)).toEqual(Result.fail("too_slow"))
  })

  it("agrees with Node's own decoder on arbitrary bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        for (const coding of ["gzip", "deflate", "br", "zstd"]) {
          const result = await Effect.runPromise(Effect.result(decodeBody(Buffer.from(bytes), coding, max)))
          if (Result.isFailure(result))
            expect(["invalid_encoding", "too_large", "unknown_encoding"]).toContain(result.failure.reason)
          else if (coding === "br" && bytes.length > 0) {
            expect(result.success.equals(brotliDecompressSync(bytes))).toBe(true)
          }
        }
      }),
      { numRuns: 100, seed: 1 },
    )
  })
})
