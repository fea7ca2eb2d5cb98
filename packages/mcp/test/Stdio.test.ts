/** `errata mcp` between a client and a server. */
import { Deferred, Effect, Exit, Fiber, Queue, Redacted, Stream } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memberKey, start, type TestInstance } from "../../http/test/support/TestInstance.js"
import { mcp } from "../src/index.js"
import { serve } from "../src/stdio/index.js"
import { tools } from "../src/Tools.js"

let errata: TestInstance
beforeAll(async () => {
  errata = await start({ mcp })
})
afterAll(() => errata.stop())

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
type Line = any

/** Sends pieces of input to the end. Returns the lines of output. */
const speak = (
  pieces: ReadonlyArray<string>,
  { key = memberKey, url = errata.url } = {},
): Promise<ReadonlyArray<Line>> => {
  const lines: Array<string> = []
  return Effect.runPromise(
    serve({
      url,
      apiKey: Redacted.make(key),
      input: Stream.fromIterable(pieces.map((piece) => new TextEncoder().encode(piece))),
      write: (line) => Effect.sync(() => void lines.push(line)),
    }),
  ).then(() => lines.map((line) => JSON.parse(line)))
}

const line = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`

describe("Over standard input and output", () => {
  it("a client of either era lists the tools and calls them, for any split of its input", async () => {
    const listing = line({ id: 1, method: "tools/list" })
    const [earlier] = await speak([listing.slice(0, 20), listing.slice(20)])
    expect(earlier.result.tools).toHaveLength(tools.length)
    const call = line({
      id: "a",
      method: "tools/call",
      params: { name: "list_projects", arguments: {}, _meta },
    })
    const [current] = await speak([`\n${call}`])
    expect(current).toMatchObject({
      id: "a",
      result: { structuredContent: { projects: [{ name: "mine" }] } },
    })
  })

  it("a session of an earlier revision keeps the negotiated one", async () => {
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "0" },
    }
    const answers = await Effect.runPromise(
      Effect.gen(function* () {
        const input = yield* Queue.unbounded<Uint8Array>()
        const written = yield* Queue.unbounded<string>()
        const serving = yield* Effect.forkChild(
          serve({
            url: errata.url,
            apiKey: Redacted.make(memberKey),
            input: Stream.fromQueue(input),
            write: (text) => Effect.asVoid(Queue.offer(written, text)),
          }),
        )
        const ask = (message: object) => Queue.offer(input, new TextEncoder().encode(line(message)))
        yield* ask({ id: 0, method: "initialize", params })
        const first = yield* Queue.take(written)
        yield* ask({ method: "notifications/initialized" })
        yield* ask({ id: 1, method: "tools/list" })
        const second = yield* Queue.take(written)
        yield* Fiber.interrupt(serving)
        return [JSON.parse(first), JSON.parse(second)] as ReadonlyArray<Line>
      }),
    )
    expect(answers[0].result).toMatchObject({ protocolVersion: "2025-06-18", serverInfo: { name: "errata" } })
    expect(answers[1]).toMatchObject({ id: 1, result: { tools: expect.any(Array) } })
  })

  it("reports errors to a client, but does not answer notifications", async () => {
    const messages = [line({ id: 1, method: "tools/list" }), line({ method: "notifications/initialized" })]
    const errorsOf = async (options: { key?: string; url?: string }) =>
      (await speak(messages, options)).map(({ error, id }: Line) => [id, error.message])
    expect(await errorsOf({ key: "errata_nobody_0123456789abcdef" })).toEqual([
      [1, `Errata: ${errata.url} rejected the API key. Check ERRATA_API_KEY, or run errata login.`],
    ])
    expect(await errorsOf({ url: `${errata.url}/elsewhere` })).toEqual([
      [1, `Errata: ${errata.url}/elsewhere has no /mcp endpoint. Check ERRATA_URL.`],
    ])
    const [[, unreachable]] = (await errorsOf({ url: "http://127.0.0.1:1" })) as [[number, string]]
    expect(unreachable).toMatch(
      /^Errata: cannot reach http:\/\/127.0.0.1:1: .+ Check that the server runs, and ERRATA_URL\.$/,
    )
    expect(await speak(["no JSON\n"])).toEqual([
      { jsonrpc: "2.0", id: null, error: { code: -32_700, message: expect.any(String) } },
    ])
  })

  it("ends on an interrupt while its client is silent", async () => {
    await Effect.runPromise(
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        // Like a pipe: the end of the input waits for a pending read.
        const silent = async function* () {
          Effect.runSync(Deferred.succeed(asked, undefined))
          yield await new Promise<Uint8Array>(() => {})
        }
        const serving = yield* Effect.forkChild(
          serve({
            url: errata.url,
            apiKey: Redacted.make(memberKey),
            input: Stream.fromAsyncIterable(silent(), () => "unreadable"),
            write: () => Effect.void,
          }),
        )
        yield* Deferred.await(asked)
        yield* Fiber.interrupt(serving)
        expect(Exit.hasInterrupts(yield* Fiber.await(serving))).toBe(true)
      }),
    )
  })
})
