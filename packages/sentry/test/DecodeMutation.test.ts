import { deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { decodeBody, decodePrefix } from "../src/ContentEncoding.js"
import { decodeBodySync } from "../src/index.js"
import { inflateInSteps, inflateNow } from "../src/internal/inflate.js"
import { brotli, compressedEnvelope, rawZstd, sampleEvents, seeded } from "./support.js"

const max = 1024 * 1024
const next = seeded(31)

const mutate = (bytes: Buffer): Buffer => {
  const out = Buffer.from(bytes)
  switch (next(4)) {
    case 0:
      for (let i = next(4); i >= 0; i--) out[next(out.length)] = next(256)
      return out
    case 1:
      return out.subarray(0, next(out.length))
    case 2:
      return Buffer.concat([out, out.subarray(next(out.length))])
    default:
      return Buffer.concat([out.subarray(0, next(64)), out.subarray(next(64))])
  }
}

const codings: ReadonlyArray<readonly [coding: string, encode: (bytes: Buffer) => Buffer]> = [
  ["gzip", (bytes) => gzipSync(bytes)],
  ["deflate", (bytes) => deflateSync(bytes)],
  ["deflate", (bytes) => deflateRawSync(bytes)],
  ["br", brotli],
  ["zstd", (bytes) => rawZstd(bytes.subarray(0, 60_000))],
  ["zstd", () => compressedEnvelope],
  ["gzip, gzip", (bytes) => gzipSync(gzipSync(bytes))],
]

describe("Mutated codings of samples and real data", () => {
  const samples = sampleEvents().filter((_, i) => i % 4 === 0)

  it.each(codings)("decode within the limit or are rejected with a reason: %s", async (coding, encode) => {
    const reasons = new Set<string>()
    for (const { bytes } of samples) {
      const body = encode(bytes)
      for (let i = 0; i < 6; i++) {
        const mutated = mutate(body)
        const limit = next(2) === 0 ? max : 1000
        const decoded = await Effect.runPromise(Effect.result(decodeBody(mutated, coding, limit)))
        if (Result.isSuccess(decoded)) expect(decoded.success.length).toBeLessThanOrEqual(limit)
        else reasons.add(decoded.failure.reason)
        const now = decodeBodySync(mutated, coding, limit)
        if (now !== null) expect(now).toEqual(decoded)
        const prefix = await Effect.runPromise(Effect.result(decodePrefix(mutated, coding, 512)))
        if (Result.isSuccess(prefix) && Result.isSuccess(decoded)) {
          expect(decoded.success.subarray(0, prefix.success.length).equals(prefix.success)).toBe(true)
        }
      }
    }
    for (const reason of reasons)
      expect(["invalid_encoding", "too_large", "unknown_encoding"]).toContain(reason)
    expect(reasons).toContain("invalid_encoding")
  })

  it.each(codings.slice(0, 3))("decode the same in steps and in one call: %s", async (coding, encode) => {
    // Larger than several steps, so that a step ends within the body.
    const all = Buffer.concat(sampleEvents().map(({ bytes }) => bytes))
    const large = Buffer.concat(
      Array.from({ length: Math.ceil((2 * max) / all.length) }, () => all),
    ).subarray(0, 2 * max)
    const bodies = [encode(large), Buffer.concat([encode(large), encode(large)])]
    for (const body of [...bodies, ...Array.from({ length: 30 }, (_, i) => mutate(bodies[i % 2]!))]) {
      for (const limit of [8 * max, max]) {
        const kind = coding as "gzip" | "deflate"
        const steps = await Effect.runPromise(Effect.result(inflateInSteps(body, kind, limit)))
        const once = inflateNow(body, kind, limit)
        if (typeof once !== "string") expect(Result.getOrThrow(steps).equals(once)).toBe(true)
        // Damage beyond the limit results in either error, depending on whether both are in one step.
        else if (inflateNow(body, kind, 64 * max) === "invalid" && Result.isFailure(steps))
          expect(["invalid", limit === max ? "too_large" : "invalid"]).toContain(steps.failure)
        else expect(steps).toEqual(Result.fail(once))
      }
    }
  })
})
