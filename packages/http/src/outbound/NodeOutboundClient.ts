/** The core's outbound client on Node. */
import type { IncomingMessage } from "node:http"
import * as http from "node:http"
import * as https from "node:https"
import { ErrataConfig } from "@errata/core"
import {
  type OutboundAnswer,
  OutboundClient,
  OutboundFailed,
  OutboundRefused,
  OutboundUnreadable,
} from "@errata/core/ports"
import { type Duration, Effect, Layer } from "effect"
import { acceptEncoding, readDecoded } from "./DecodedBody.js"
import { AddressNotAllowed, type GuardedRequest, makeAgents, NameNotFound } from "./GuardedAgent.js"
import { NameResolver } from "./NameResolver.js"
import { AddressRule, CertificateAuthorities } from "./OutboundTrust.js"

/** Connects to public addresses, and to all others if the settings allow it (`allowPrivateAddresses`). */
export const layer: Layer.Layer<OutboundClient> = Layer.effect(
  OutboundClient,
  Effect.gen(function* () {
    const { allowPrivateAddresses } = yield* ErrataConfig
    const resolve = yield* NameResolver
    const isAllowed = allowPrivateAddresses ? () => true : yield* AddressRule
    const authorities = yield* CertificateAuthorities
    const agents = yield* Effect.acquireRelease(
      Effect.sync(() => makeAgents({ resolve, isAllowed, authorities })),
      (agents) =>
        Effect.sync(() => {
          agents.http.destroy()
          agents.https.destroy()
        }),
    )

    const answered = <E>(
      address: string,
      timeout: Duration.Duration,
      outgoing: Outgoing,
      toError: (fault: Fault) => E,
    ): Effect.Effect<OutboundAnswer, E | OutboundRefused | OutboundFailed> => {
      const url = URL.canParse(address) ? new URL(address) : null
      if (url === null || !/^https?:$/.test(url.protocol))
        return new OutboundRefused({ reason: "invalid_url" })
      return exchange(url, outgoing, agents).pipe(
        // The receiver may close a kept connection just as it is reused. It has not read the request then.
        Effect.catchIf(isStale, () => exchange(url, outgoing, agents)),
        Effect.mapError(toError),
        Effect.timeoutOrElse({ duration: timeout, orElse: timedOut }),
      )
    }

    return {
      send: (request) =>
        answered(
          request.url,
          request.timeout,
          {
            method: request.method,
            headers: request.headers,
            body: request.body,
            read: (incoming, done) => readBody(incoming, request.maxBodyBytes, done),
          },
          toFailure,
        ),

      download: (request) =>
        Effect.suspend(() => {
          let hasBegun = false
          const outgoing: Outgoing = {
            method: "GET",
            headers: { ...request.headers, "accept-encoding": acceptEncoding },
            body: null,
            read: (incoming, done) => {
              hasBegun = true
              if (incoming.statusCode === 200) return readDecoded(incoming, request, done)
              done(new Uint8Array())
              incoming.destroy()
            },
          }
          const download = answered(request.url, request.timeout, outgoing, (fault) =>
            fault.error instanceof OutboundUnreadable ? fault.error : toFailure(fault),
          )
          const late = Effect.suspend(() => (hasBegun ? Effect.never : timedOut()))
          return Effect.raceFirst(download, Effect.delay(late, request.headersTimeout))
        }),
    }
  }),
)

// internal

interface Outgoing {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Reads the body of a response, or the needed part of it. */
  readonly read: (incoming: IncomingMessage, done: (body: Uint8Array | Error) => void) => void
}

const timedOut = () => new OutboundFailed({ reason: "timeout", detail: "" })

/** A failure as Node reports it. */
interface Fault {
  readonly error: Error
  /** The connection had served other requests and closed without a response to this one. */
  readonly wasReused: boolean
}

const isStale = ({ error, wasReused }: Fault): boolean =>
  wasReused && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE")

const exchange = (
  url: URL,
  request: Outgoing,
  agents: ReturnType<typeof makeAgents>,
): Effect.Effect<OutboundAnswer, Fault> =>
  Effect.callback<OutboundAnswer, Fault>((resume) => {
    const abandoned = new AbortController()
    let answered = false
    const options: http.RequestOptions & GuardedRequest = {
      method: request.method,
      headers: {
        ...request.headers,
        ...(request.body !== null && { "content-length": Buffer.byteLength(request.body) }),
      },
      agent: url.protocol === "https:" ? agents.https : agents.http,
      abandoned: abandoned.signal,
    }
    const outgoing = (url.protocol === "https:" ? https : http).request(url, options)
    outgoing.on("response", (incoming) => {
      answered = true
      request.read(incoming, (body) =>
        // The agent gets the connection back on this tick, so that the next request of the fiber can reuse it.
        process.nextTick(
          resume,
          body instanceof Error
            ? Effect.fail({ error: body, wasReused: false })
            : Effect.succeed({ status: incoming.statusCode ?? 0, headers: headersOf(incoming), body }),
        ),
      )
    })
    outgoing.on("error", (error) =>
      resume(Effect.fail({ error, wasReused: outgoing.reusedSocket && !answered })),
    )
    // Protocol upgrades are not followed.
    outgoing.on("upgrade", (incoming, socket) => {
      socket.destroy()
      resume(
        Effect.succeed({
          status: incoming.statusCode ?? 0,
          headers: headersOf(incoming),
          body: new Uint8Array(),
        }),
      )
    })
    outgoing.end(request.body ?? undefined)
    return Effect.sync(() => {
      outgoing.destroy()
      abandoned.abort()
    })
  })

/** Reads at most this many bytes. If the body is longer, closes the connection. */
const readBody = (
  incoming: IncomingMessage,
  most: number,
  done: (body: Uint8Array | Error) => void,
): void => {
  const chunks: Array<Buffer> = []
  let length = 0
  incoming.on("data", (chunk: Buffer) => {
    chunks.push(chunk.subarray(0, most - length))
    length += chunk.length
    if (length <= most) return
    incoming.removeAllListeners("data")
    done(Buffer.concat(chunks))
    incoming.destroy()
  })
  incoming.on("end", () => done(Buffer.concat(chunks)))
  incoming.on("error", done)
}

const headersOf = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  )

const toFailure = ({ error }: Fault): OutboundRefused | OutboundFailed => {
  if (error instanceof AddressNotAllowed) return new OutboundRefused({ reason: "private_address" })
  if (error instanceof NameNotFound) return new OutboundFailed({ reason: "name_not_found", detail: "" })
  const code = "code" in error ? String(error.code) : error.name
  if (code.startsWith("HPE_")) return new OutboundFailed({ reason: "protocol", detail: code })
  return new OutboundFailed({ reason: isTls(code) ? "tls" : "connection", detail: code })
}

const isTls = (code: string): boolean =>
  /^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|UNABLE_TO_|DEPTH_|SELF_SIGNED)/.test(code)
