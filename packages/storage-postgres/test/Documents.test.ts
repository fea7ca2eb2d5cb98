import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as Documents from "../src/internal/Documents.js"
import * as Lz4 from "../src/internal/Lz4.js"

const bytes = (text: string) => new TextEncoder().encode(text)

const compress = (content: Uint8Array): Uint8Array => {
  const target = new Uint8Array(Lz4.maxCompressedBytes(content.length) + 3)
  const end = Lz4.compress(content, target, 3)
  return target.slice(3, end)
}

/** Of few words, so that much repeats; some of them longer than a length that needs a byte more. */
const repetitive = FastCheck.array(
  FastCheck.oneof(
    FastCheck.constantFrom("frame", '"in_app":false,', "é", "0", "x".repeat(300)),
    FastCheck.string({ maxLength: 20 }),
  ),
  { maxLength: 200 },
).map((words) => bytes(words.join("")))

const content = FastCheck.oneof(FastCheck.uint8Array({ maxLength: 2000 }), repetitive)

describe("LZ4 blocks", () => {
  it("give back what was compressed, whatever was compressed before", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.array(content, { minLength: 1, maxLength: 5 }), (contents) => {
        for (const each of contents) expect(Lz4.decompress(compress(each), each.length)).toEqual(each)
      }),
      { numRuns: 300 },
    )
  })

  it("reach back as far as the format lets them", () => {
    const noise = Uint8Array.from({ length: 200_000 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 24)
    for (const gap of [65_530, 65_535, 65_536, 70_000]) {
      const far = new Uint8Array([...bytes("a word that comes again"), ...noise.subarray(0, gap - 23)])
      const whole = new Uint8Array([...far, ...bytes("a word that comes again, and an end")])
      expect(Lz4.decompress(compress(whole), whole.length)).toEqual(whole)
    }
  })

  it("are those of the format", () => {
    // Four literals and a match of twelve that overlaps itself, then five literals.
    const block = new Uint8Array([0x48, ...bytes("abcd"), 4, 0, 0x50, ...bytes("efghi")])
    expect(Lz4.decompress(block, 21)).toEqual(bytes("abcdabcdabcdabcdefghi"))
    // The last match ends five bytes before the end and begins twelve before it at the latest.
    expect(compress(bytes("abcdabcdabcdabcdefghi"))).toEqual(block)
    expect(compress(bytes("abcdabcdabcd"))).toEqual(new Uint8Array([0xc0, ...bytes("abcdabcdabcd")]))
  })

  it("leave little of what repeats", () => {
    const frame = '{"filename":"src/billing/Quote.ts","function":"parseQuote","lineno":392,"in_app":true},'
    expect(compress(bytes(frame.repeat(100))).length).toBeLessThan(200)
  })

  it("are refused where they are damaged, and never read beyond", () => {
    FastCheck.assert(
      FastCheck.property(
        repetitive,
        FastCheck.array(FastCheck.tuple(FastCheck.nat(), FastCheck.integer({ min: 0, max: 255 })), {
          minLength: 1,
          maxLength: 3,
        }),
        FastCheck.nat(),
        (original, damages, cut) => {
          const block = compress(original)
          for (const [at, value] of damages) block[at % block.length] = value
          const damaged = block.subarray(0, block.length - (cut % block.length))
          try {
            expect(Lz4.decompress(damaged, original.length)).toHaveLength(original.length)
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError)
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe("documents", () => {
  const store = (json: string): Uint8Array => {
    const target = new Uint8Array(Documents.maxBytes(bytes(json)) + 7)
    return target.slice(7, Documents.write(bytes(json), target, 7))
  }

  it("are read as they were written", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.jsonValue({ maxDepth: 4 }), FastCheck.nat(20), (value, times) => {
        const json = JSON.stringify(Array.from({ length: times }, () => value))
        expect(Documents.read(store(json))).toBe(json)
      }),
    )
  })

  it("are plain JSON where they are short, and where they were stored before they were compressed", () => {
    expect(store('{"a":"é"}')).toEqual(bytes('{"a":"é"}'))
    const long = JSON.stringify({ frames: Array.from({ length: 100 }, () => ({ lineno: 1 })) })
    expect(Documents.read(bytes(long))).toBe(long)
    expect(store(long).length).toBeLessThan(long.length / 5)
  })
})
