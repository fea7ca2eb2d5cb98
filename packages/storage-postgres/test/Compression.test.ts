import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compress, decompress } from "../src/internal/Compression.js"

describe("Compression", () => {
  it("returns what was stored, compressed or not", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 20 }), (part, times) => {
        const bytes = Buffer.concat(Array.from({ length: times }, () => part))
        const stored = compress(bytes)
        expect(stored.length).toBeLessThanOrEqual(bytes.length)
        expect(Buffer.compare(decompress(stored, bytes.length), bytes)).toBe(0)
      }),
    )
  })

  it("stores bytes as they are if compression saves little, or would take long", () => {
    const random = Uint8Array.from({ length: 100 }, (_, i) => (i * 7919) % 251)
    expect(compress(random)).toBe(random)
    const large = new Uint8Array(4 * 1024 * 1024 + 1)
    expect(compress(large)).toBe(large)
  })

  it("throws for bytes of another length, and for damaged ones, without decompressing more than is expected", () => {
    const stored = compress(new Uint8Array(1_000_000))
    expect(() => decompress(stored, 999_999)).toThrow(RangeError)
    expect(() => decompress(stored, 1_000_001)).toThrow(RangeError)
    expect(() => decompress(stored.subarray(0, 10), 1_000_000)).toThrow()
  })
})
