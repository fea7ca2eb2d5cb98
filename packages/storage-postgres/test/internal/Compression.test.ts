import { randomBytes } from "node:crypto"
import { zstdCompressSync } from "node:zlib"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compress, decompress } from "../../src/internal/Compression.js"

describe("compressed bytes", () => {
  it("are the original ones after decompression", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.integer({ min: 1, max: 50 }), (bytes, times) => {
        const original = Buffer.concat(Array(times).fill(bytes))
        const stored = compress(original)
        expect(stored.length).toBeLessThanOrEqual(original.length)
        expect(Buffer.from(decompress(stored, original.length)).equals(original)).toBe(true)
      }),
    )
  })

  it("are the original ones if compression would save little or take long", () => {
    const noise = randomBytes(4000)
    expect(compress(noise)).toBe(noise)
    const large = Buffer.alloc(4 * 1024 * 1024 + 1)
    expect(compress(large)).toBe(large)
    expect(compress(large.subarray(1)).length).toBeLessThan(1000)
  })

  it.each([
    ["damaged", (stored: Buffer) => stored.fill(7, 4)],
    ["cut off", (stored: Buffer) => stored.subarray(0, -1)],
    ["longer than they should be", () => zstdCompressSync(Buffer.alloc(1e7))],
    ["shorter than they should be", () => zstdCompressSync(Buffer.alloc(10))],
    ["not compressed", () => Buffer.from("[]")],
  ])("that are %s fail", (_, damage) => {
    const original = Buffer.from("a report ".repeat(100))
    expect(() => decompress(damage(Buffer.from(compress(original))), original.length)).toThrow(RangeError)
  })
})
