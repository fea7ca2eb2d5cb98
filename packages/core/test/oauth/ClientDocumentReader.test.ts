/** Client metadata documents from untrusted hosts. */

import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { ClientDocuments } from "../../src/index.js"
import {
  ClientDocumentReader,
  type OutboundAnswer,
  OutboundClient,
  OutboundFailed,
  OutboundRefused,
  type OutboundRequest,
} from "../../src/ports.js"

const url = "https://tool.example.com/client.json"
const used = { client_id: url, client_name: "A tool", redirect_uris: ["https://tool.example.com/cb"] }

type Answer = Effect.Effect<OutboundAnswer, OutboundRefused | OutboundFailed>

const answerOf = (
  body: unknown = used,
  { headers = {}, status = 200 }: { headers?: Record<string, string>; status?: number } = {},
): Answer =>
  Effect.succeed({
    status,
    headers: { "content-type": "application/json", ...headers },
    body: Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  })

/** A reader with a stubbed client, and the requests that it sent. */
const withReader = <A, E>(
  answer: (request: OutboundRequest) => Answer,
  use: (
    read: (url: string, address?: string) => Effect.Effect<unknown, unknown>,
    sent: ReadonlyArray<OutboundRequest>,
  ) => Effect.Effect<A, E>,
) =>
  Effect.suspend(() => {
    const sent: Array<OutboundRequest> = []
    const client = Layer.succeed(OutboundClient, {
      download: () => Effect.die(new Error("Documents are not downloaded")),
      send: (request) =>
        Effect.suspend(() => {
          sent.push(request)
          return answer(request)
        }),
    })
    return Effect.flatMap(ClientDocuments, (documents) =>
      Option.isSome(documents)
        ? use((url, address = "192.0.2.1") => documents.value.read(url, address), sent)
        : Effect.die(new Error("There is no reader")),
    ).pipe(Effect.provide(Layer.provide(ClientDocumentReader.layer, client)))
  })

/** The reason of the failure; null on success. */
const reasonOf = (effect: Effect.Effect<unknown, unknown>) =>
  effect.pipe(
    Effect.as(null),
    Effect.catch((error) => Effect.succeed((error as { readonly reason: string }).reason)),
  )

describe("A client's document", () => {
  it.effect("is fetched in one bounded request, and only known fields are kept", () =>
    withReader(
      () => answerOf({ ...used, logo_uri: "x".repeat(1000) }),
      (read, sent) =>
        Effect.gen(function* () {
          expect(yield* read(url)).toEqual(used)
          expect(sent).toHaveLength(1)
          expect(sent[0]).toMatchObject({ method: "GET", url, body: null, maxBodyBytes: 16 * 1024 + 1 })
          expect(sent[0]!.headers).not.toHaveProperty("authorization")
        }),
    ),
  )

  it.effect("is requested only from an https URL with a path", () =>
    withReader(
      () => answerOf(),
      (read, sent) =>
        Effect.gen(function* () {
          for (const wrong of [
            "http://tool.example.com/client.json",
            "https://tool.example.com/",
            "https://user@tool.example.com/client.json",
            "https://tool.example.com/a/../client.json",
            "file:///etc/passwd",
            "",
          ]) {
            expect([wrong, yield* reasonOf(read(wrong))]).toEqual([
              wrong,
              "not the URL of a metadata document",
            ])
          }
          expect(sent).toEqual([])
        }),
    ),
  )

  const wrong: ReadonlyArray<readonly [string, Answer]> = [
    // The redirect is not followed.
    ["status 302", answerOf("", { status: 302, headers: { location: "https://tool.example.com/other" } })],
    ["status 404", answerOf(used, { status: 404 })],
    ["status 201", answerOf(used, { status: 201 })],
    ["not of the type application/json", answerOf(used, { headers: { "content-type": "text/html" } })],
    ["not of the type application/json", answerOf(used, { headers: { "content-type": "text/json; json" } })],
    ["longer than 16384 bytes", answerOf({ ...used, logo_uri: "x".repeat(16 * 1024) })],
    ["not JSON", answerOf("{")],
    ["not JSON", answerOf(Buffer.from([0x22, 0xff, 0x22]))],
    ["not a JSON object", answerOf("[]")],
    ["not a JSON object", answerOf("null")],
    ["private_address", new OutboundRefused({ reason: "private_address" })],
    ["timeout", new OutboundFailed({ reason: "timeout", detail: "" })],
  ]
  it.effect.each(wrong)("is rejected: %s", ([reason, answer]) =>
    withReader(
      () => answer,
      (read) => Effect.map(reasonOf(read(url)), (said) => expect(said).toBe(reason)),
    ),
  )

  it.effect("may have a media type that ends in +json", () =>
    withReader(
      () => answerOf(used, { headers: { "content-type": "application/client+json; charset=utf-8" } }),
      (read) => Effect.map(read(url), (document) => expect(document).toEqual(used)),
    ),
  )

  const lifetimes: ReadonlyArray<readonly [string, number]> = [
    ["", 600],
    ["max-age=300", 300],
    ["public, max-age=0", 60],
    ["no-store", 60],
    ["no-cache, max-age=3000", 60],
    ["max-age=31536000, immutable", 3600],
    ["s-maxage=7", 600],
  ]
  it.effect.each(lifetimes)("is cached as long as its header says, within limits: %s", ([control, seconds]) =>
    withReader(
      () => answerOf(used, { headers: { "cache-control": control } }),
      (read, sent) =>
        Effect.gen(function* () {
          yield* read(url)
          yield* TestClock.adjust(seconds * 1000 - 1)
          yield* read(url)
          expect(sent).toHaveLength(1)
          yield* TestClock.adjust(2)
          yield* read(url)
          expect(sent).toHaveLength(2)
        }),
    ),
  )

  it.effect("is requested again after a failure", () => {
    let isMended = false
    return withReader(
      () => (isMended ? answerOf() : answerOf("", { status: 503 })),
      (read) =>
        Effect.gen(function* () {
          expect(yield* reasonOf(read(url))).toBe("status 503")
          isMended = true
          yield* TestClock.adjust(1)
          expect(yield* reasonOf(read(url))).toBeNull()
        }),
    )
  })

  it.effect("is read once for concurrent callers, also if the first one is interrupted", () => {
    const served = Deferred.makeUnsafe<void>()
    return withReader(
      () => Effect.andThen(Deferred.await(served), answerOf()),
      (read, sent) =>
        Effect.gen(function* () {
          const first = yield* Effect.forkChild(read(url))
          yield* Effect.yieldNow
          const others = yield* Effect.forkChild(Effect.all([read(url), read(url)], { concurrency: 2 }))
          yield* Effect.yieldNow
          yield* Fiber.interrupt(first)
          expect(Exit.hasInterrupts(yield* Fiber.await(first))).toBe(true)
          yield* Deferred.succeed(served, undefined)
          expect(yield* Fiber.join(others)).toEqual([used, used])
          expect(sent).toHaveLength(1)
        }),
    )
  })
})

describe("The documents of one address or host", () => {
  const junk = Array.from({ length: 500 }, (_, i) => `https://host${i}.example.com/client.json`)
  const ofOneHost = Array.from({ length: 500 }, (_, i) => `https://tool.example.com/${i}.json`)
  const tooMany = "too many documents are being read"
  const served = ({ url }: OutboundRequest) => answerOf({ ...used, client_id: url })
  const countOf = (reasons: ReadonlyArray<string | null>) =>
    reasons.filter((reason) => reason === null).length

  it.effect("are read a few at a time, without blocking others", () =>
    withReader(
      ({ url }) => (url.includes("slow") ? Effect.never : answerOf()),
      (read, sent) =>
        Effect.gen(function* () {
          for (let i = 0; i < 4; i++)
            yield* Effect.forkChild(read(`https://slow${i}.example.com/client.json`))
          yield* TestClock.adjust(1)
          expect(yield* reasonOf(read(junk[0]!))).toBe(tooMany)
          expect(yield* reasonOf(read(junk[0]!, "192.0.2.2"))).toBeNull()
          for (let i = 0; i < 4; i++) {
            yield* Effect.forkChild(read(`https://slow.example.com/${i}`, `192.0.2.1${i}`))
          }
          yield* TestClock.adjust(1)
          expect(yield* reasonOf(read("https://slow.example.com/4", "192.0.2.14"))).toBe(tooMany)
          expect(sent).toHaveLength(9)
        }),
    ),
  )

  it.effect("are read 20 times a minute for one IPv6 network", () =>
    withReader(served, (read, sent) =>
      Effect.gen(function* () {
        const reasons = yield* Effect.forEach(junk, (url, i) => reasonOf(read(url, `2001:db8:0:1::${i}`)))
        expect(countOf(reasons)).toBe(20)
        expect(yield* reasonOf(read(junk[20]!, "2001:db8:0:2::1"))).toBeNull()
        // A cached document needs no read.
        expect(yield* reasonOf(read(junk[0]!, "2001:db8:0:1::1"))).toBeNull()
        yield* TestClock.adjust("1 minute")
        expect(yield* reasonOf(read(junk[21]!, "2001:db8:0:1::1"))).toBeNull()
        expect(sent).toHaveLength(22)
      }),
    ),
  )

  it.effect("are read 60 times a minute from a host", () =>
    withReader(served, (read) =>
      Effect.gen(function* () {
        const reasons = yield* Effect.forEach(ofOneHost, (url, i) =>
          reasonOf(read(url, `192.0.2.${i % 250}`)),
        )
        expect(countOf(reasons)).toBe(60)
        expect(yield* reasonOf(read(junk[0]!, "192.0.2.249"))).toBeNull()
      }),
    ),
  )
})
