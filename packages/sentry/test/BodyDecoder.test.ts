import { gzipSync, zstdCompressSync } from "node:zlib"
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { decodeBody, decodePrefix } from "../src/ContentEncoding.js"
import { makeBodyDecoder } from "../src/index.js"
import { brotli, rawZstd } from "./support.js"

const text = Buffer.from("Errata reads what others send. ".repeat(20_000))
const max = 16 * 1024 * 1024

describe("BodyDecoder", () => {
  it("decodes bodies of other senders while one sender's bodies are stuck", () =>
    Effect.gen(function* () {
      const latch = yield* Deferred.make<void>()
      const stuck = rawZstd(Buffer.from("stuck"))
      const decoder = makeBodyDecoder(max, (body, coding, maxBytes) =>
        body === stuck
          ? Effect.andThen(Deferred.await(latch), decodeBody(body, coding, maxBytes))
          : decodeBody(body, coding, maxBytes),
      )
      const decode = (body: Buffer, coding: string, sender: number) =>
        decoder.withDecoded(body, coding, sender, (decoded) => Effect.succeed(decoded.length))
      const waiting = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 20 }, () => decode(stuck, "zstd", 1)),
          { concurrency: "unbounded" },
        ),
      )
      yield* Effect.yieldNow
      expect(yield* decode(gzipSync(text), "gzip", 2)).toBe(text.length)
      expect(yield* decode(gzipSync(brotli(text)), "br, gzip", 2)).toBe(text.length)
      expect(yield* decode(zstdCompressSync(text), "zstd", 2)).toBe(text.length)
      yield* Deferred.succeed(latch, undefined)
      expect(yield* Fiber.join(waiting)).toEqual(Array.from({ length: 20 }, () => 5))
    }).pipe(Effect.runPromise))

  it("decodes the beginning of a body while many brotli bodies of one sender are stuck", () =>
    Effect.gen(function* () {
      const latch = yield* Deferred.make<void>()
      const stuck = brotli(text)
      const decoder = makeBodyDecoder(max, decodeBody, (part, coding, maxBytes) =>
        Effect.andThen(
          part === stuck ? Deferred.await(latch) : Effect.void,
          decodePrefix(part, coding, maxBytes),
        ),
      )
      const start = (part: Buffer, coding: string, sender: string) =>
        Effect.map(decoder.prefix(part, coding, 6, sender), String)
      const waiting = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 20 }, () => start(stuck, "br", "a")),
          { concurrency: "unbounded" },
        ),
      )
      yield* Effect.yieldNow
      expect(yield* start(gzipSync(text), "gzip", "a")).toBe("Errata")
      expect(yield* start(brotli(text), "br", "b")).toBe("Errata")
      yield* Deferred.succeed(latch, undefined)
      expect(yield* Fiber.join(waiting)).toEqual(Array.from({ length: 20 }, () => "Errata"))
    }).pipe(Effect.runPromise))

  it("does not block a sender while bodies of another one are in use", () =>
    Effect.gen(function* () {
      const latch = yield* Deferred.make<void>()
      const decoder = makeBodyDecoder(max)
      const body = gzipSync(text)
      let inUse = 0
      const waiting = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 20 }),
          () =>
            decoder.withDecoded(body, "gzip", 1, () =>
              Effect.andThen(
                Effect.sync(() => inUse++),
                Deferred.await(latch),
              ),
            ),
          { concurrency: "unbounded" },
        ),
      )
      const length = yield* decoder.withDecoded(body, "gzip", 2, (decoded) => Effect.succeed(decoded.length))
      expect(length).toBe(text.length)
      expect(inUse).toBeLessThanOrEqual(2)
      yield* Deferred.succeed(latch, undefined)
      yield* Fiber.join(waiting)
      expect(inUse).toBe(20)
    }).pipe(Effect.runPromise))
})
