/** Handles one request of either protocol era, without sessions. Adds required headers that some clients omit. */
import { JsonBounds } from "@errata/core/internal"
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import { Result } from "effect"
import type { Asked, Caller } from "./Caller.js"

export interface Transport {
  readonly handle: (
    request: Request,
    body: string,
    callerOf: (asked: Asked | null) => Caller,
  ) => Promise<Response>
  readonly close: () => Promise<void>
}

export interface TransportOptions {
  /**
   * Allows responses to be streams of events, for tools that report progress and lists that change. Otherwise each
   * response is one JSON document, and there are no subscriptions.
   */
  readonly streams: boolean
  /** Receives invalid requests and failures. */
  readonly onError?: (error: Error) => void
}

export const make = (factory: McpServerFactory, { onError, streams }: TransportOptions): Transport => {
  const modern = createMcpHandler(factory, {
    legacy: streams ? "stateless" : "reject",
    ...(streams ? {} : { maxSubscriptions: 0 }),
    ...(onError !== undefined && { onerror: onError }),
  })

  const inOnePiece = async (request: Request, parsedBody: unknown, caller: Caller): Promise<Response> => {
    const server = await factory({ era: "legacy", authInfo: caller, requestInfo: request })
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    const close = () => server.close()
    request.signal.addEventListener("abort", close, { once: true })
    try {
      return await transport.handleRequest(request, { authInfo: caller, parsedBody })
    } finally {
      request.signal.removeEventListener("abort", close)
      await close()
    }
  }

  return {
    handle: async (given, body, callerOf) => {
      const read = JsonBounds.parse(body)
      if (Result.isFailure(read)) return refused(-32_700, `Parse error: the body ${read.failure}`)
      const parsed = read.success
      if (Array.isArray(parsed) && parsed.length > maxBatch) {
        return refused(-32_600, `The batch has ${parsed.length} messages; the maximum is ${maxBatch}`)
      }
      const caller = callerOf(askedIn(parsed))
      const request = accepting(given)
      return !streams && (await isLegacyRequest(request, parsed))
        ? inOnePiece(request, parsed, caller)
        : modern.fetch(request, { authInfo: caller, parsedBody: parsed })
    },
    close: modern.close,
  }
}

// internal

/** The messages of a batch run concurrently. */
const maxBatch = 50

const askedIn = (message: unknown): Asked | null => {
  if (typeof message !== "object" || message === null || !("method" in message)) return null
  const { method } = message
  if (typeof method !== "string") return null
  const params = "params" in message && typeof message.params === "object" ? message.params : null
  const name = params !== null && "name" in params ? params.name : undefined
  return { method, name: typeof name === "string" ? name : undefined }
}

const refused = (code: number, message: string) =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status: 400 })

/** Accepts both forms of a response for clients that do not send the full header. They get JSON. */
const accepting = (request: Request): Request => {
  const headers = new Headers(request.headers)
  headers.set("accept", "application/json, text/event-stream")
  return new Request(request, { headers })
}
