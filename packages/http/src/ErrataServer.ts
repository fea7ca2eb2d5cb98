/** The Errata server on Node. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Services } from "@errata/core"
import { Context, Data, Duration, Effect, Layer, type Scope } from "effect"
import * as Connections from "./Connections.js"
import * as HandlerParts from "./HandlerParts.js"
import { type HttpOptions, settingsOf } from "./HttpOptions.js"
import * as NodeListener from "./NodeListener.js"
import * as Probes from "./Probes.js"
import * as WaitingRequests from "./WaitingRequests.js"

/** The address to listen on, and the options of the handlers. */
export interface ErrataServerOptions extends HttpOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /**
   * How long a stopping server continues to serve while `/ready` fails, so that load balancers can react before
   * connections are refused. Default: 0.
   */
  readonly drainTime?: Duration.Input | undefined
  /**
   * How long a stopping server waits for requests in flight. Default: 6 seconds. Requests without a response after
   * three quarters of it receive 503.
   */
  readonly shutdownTimeout?: Duration.Input | undefined
  /** Time limit for receiving a request. Default: 60 seconds. */
  readonly requestTimeout?: Duration.Input | undefined
}

/** The server could not listen, e.g. because the port is in use. */
export class ListenError extends Data.TaggedError("ListenError")<{
  readonly host: string
  readonly port: number
  readonly cause: Error
}> {
  override get message(): string {
    const isTaken = "code" in this.cause && this.cause.code === "EADDRINUSE"
    return `Cannot listen on ${this.host}:${this.port}: ${isTaken ? "the port is already in use" : this.cause.message}`
  }
}

/** A running server. */
export class ErrataServer extends Context.Service<
  ErrataServer,
  {
    readonly host: string
    /** The actual port, even if the option is 0. */
    readonly port: number
    /** The configured base URL, or the address listened on. Without a trailing slash. */
    readonly baseUrl: string
  }
>()("@errata/http/ErrataServer") {
  /**
   * Listens until the scope closes. Then `/ready` fails. After the drain time the server accepts no connections, sends
   * `Connection: close`, finishes requests in flight and closes idle connections. After the timeout it closes all.
   */
  static readonly layer = (
    options: ErrataServerOptions,
  ): Layer.Layer<ErrataServer, ListenError, Services.Services> =>
    Layer.effect(
      ErrataServer,
      Effect.flatMap(bind(options), ({ serve }) => serve),
    )

  /**
   * Listens before the services are built; requests wait some seconds. Reports a port in use before anything starts.
   */
  static readonly listen = (
    options: ErrataServerOptions,
  ): Effect.Effect<BoundServer, ListenError, Scope.Scope> => bind(options)
}

/** URL of a server that listens there and has no base URL. */
export const addressOf = (host: string, port: number): string => `http://${urlHost(host)}:${port}`

/** A server that listens and does not serve yet. */
export interface BoundServer {
  readonly host: string
  readonly port: number
  /** Equal to the base URL of the serving server. */
  readonly baseUrl: string
  /** Serves until the scope closes. With an inner scope, requests in flight finish while the services still run. */
  readonly serve: Effect.Effect<ErrataServer["Service"], never, Services.Services | Scope.Scope>
}

const bind = (options: ErrataServerOptions): Effect.Effect<BoundServer, ListenError, Scope.Scope> =>
  Effect.gen(function* () {
    const { host } = options
    const requestTimeout = Duration.toMillis(options.requestTimeout ?? "60 seconds")
    const server = createServer({
      requestTimeout,
      headersTimeout: Math.min(requestTimeout, maxHeadersMillis),
      connectionsCheckingInterval: Math.min(requestTimeout, checkingMillis),
      keepAliveTimeout: keepAliveMillis,
    })
    // A client that has closed its side may still read the response.
    Object.assign(server, { httpAllowHalfOpen: true })
    const connections = Connections.make(server)
    const requests = WaitingRequests.make()
    const settings = settingsOf(options, () => addressOf(host, port))
    const probes = Probes.make(settings)
    const on = (kind: keyof NodeListener.NodeListener) => {
      server.on(kind, (request: IncomingMessage, response: ServerResponse) => {
        connections.begin(response)
        if (!HandlerParts.isProbed(probes, request, response)) requests[kind](request, response)
      })
    }
    on("request")
    on("checkContinue")
    const drained = Effect.sleep(options.drainTime ?? Duration.zero)
    const end = connections.end(options.shutdownTimeout ?? "6 seconds")
    const port = yield* Effect.acquireRelease(listenOn(server, host, options.port), () =>
      Effect.andThen(Effect.sync(requests.refuse), end),
    )
    const run = Effect.runForkWith(yield* Effect.context<never>())
    // For example too many open files. Existing connections are still served.
    server.on("error", (cause) => run(Effect.logError("Accepting a connection failed", cause)))

    const serve = Effect.gen(function* () {
      const listener = yield* NodeListener.make(yield* HandlerParts.make(settings))
      yield* Effect.acquireRelease(
        Effect.andThen(
          Effect.sync(() => requests.handOver(listener)),
          probes.serve,
        ),
        () => Effect.sync(probes.stop).pipe(Effect.andThen(drained), Effect.andThen(end)),
      )
      return { host, port, baseUrl: settings.baseUrl() }
    })
    return { host, port, baseUrl: settings.baseUrl(), serve }
  })

// internal

const maxHeadersMillis = 20_000
const checkingMillis = 5_000

// Longer than load balancers keep idle connections, or they would send requests on connections that are closing.
const keepAliveMillis = 65_000

const listenOn = (server: Server, host: string, port: number): Effect.Effect<number, ListenError> =>
  Effect.callback((resume) => {
    const failed = (cause: Error) => resume(new ListenError({ host, port, cause }))
    server.once("error", failed)
    try {
      server.listen({ host, port }, () => {
        server.off("error", failed)
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
      })
    } catch (cause) {
      // Node throws for invalid port numbers.
      failed(cause instanceof Error ? cause : new Error(String(cause)))
    }
  })

// Wildcard addresses cannot be connected to.
function urlHost(host: string): string {
  return host === "0.0.0.0" || host === "::" || host === ""
    ? "localhost"
    : host.includes(":")
      ? `[${host}]`
      : host
}
