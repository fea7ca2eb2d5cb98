/** An Errata server on Node: it listens while its scope is open. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Services } from "@errata/core"
import { Context, Data, Duration, Effect, Layer, type Scope } from "effect"
import * as Connections from "./Connections.js"
import { type HttpOptions, settingsOf } from "./HttpOptions.js"
import * as Ingest from "./Ingest.js"
import * as IngestRoute from "./IngestRoute.js"
import * as NodeListener from "./NodeListener.js"
import { originForm } from "./OriginForm.js"
import { sendNode } from "./PlainAnswer.js"
import * as Probes from "./Probes.js"
import * as RestApp from "./rest/RestApp.js"
import * as UploadApp from "./upload/UploadApp.js"
import * as WaitingRequests from "./WaitingRequests.js"

/** Where a server listens, and what it serves. */
export interface ErrataServerOptions extends HttpOptions {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  /**
   * How long a stop lets everything go on while `/ready` says no, so that load balancers send no more requests by the
   * time that connections are refused; not at all by default.
   */
  readonly drainTime?: Duration.Input | undefined
  /**
   * How long a stop waits for requests in flight; 6 seconds by default. Those that are not answered after three quarters of
   * it are answered with 503.
   */
  readonly shutdownTimeout?: Duration.Input | undefined
  /** How long a request may take to arrive; 60 seconds by default. */
  readonly requestTimeout?: Duration.Input | undefined
}

/** The server could not listen, say because the port is taken. */
export class ListenError extends Data.TaggedError("ListenError")<{
  readonly host: string
  readonly port: number
  readonly cause: Error
}> {
  override get message(): string {
    return `Cannot listen on ${this.host}:${this.port}: ${this.cause.message}`
  }
}

/** A server that is listening. */
export class ErrataServer extends Context.Service<
  ErrataServer,
  {
    readonly host: string
    /** The port listened on, also where 0 was asked for. */
    readonly port: number
    /** The configured base URL, else the address listened on. Without a trailing slash. */
    readonly baseUrl: string
  }
>()("@errata/http/ErrataServer") {
  /**
   * Listens until the scope closes: then it is not ready any more, after the time for draining no more connections are accepted, answers tell that their connection ends,
   * requests in flight are answered, idle connections are closed, and after the timeout those left are cut.
   */
  static readonly layer = (
    options: ErrataServerOptions,
  ): Layer.Layer<ErrataServer, ListenError, Services.Services> =>
    Layer.effect(
      ErrataServer,
      Effect.flatMap(bind(options), ({ serve }) => serve),
    )

  /**
   * Listens at once, for services that are yet to be set up: what arrives before they serve waits for them, for some
   * seconds. A port that is taken is found out before anything else is done.
   */
  static readonly listen = (
    options: ErrataServerOptions,
  ): Effect.Effect<BoundServer, ListenError, Scope.Scope> => bind(options)
}

/** The address of a server that listens there and knows no other. */
export const addressOf = (host: string, port: number): string => `http://${urlHost(host)}:${port}`

/** A server that listens and does not serve yet. */
export interface BoundServer {
  readonly host: string
  readonly port: number
  /** As that of the server that serves here. */
  readonly baseUrl: string
  /**
   * Serves until the scope closes. That scope may be an inner one: when it closes all that is in flight is answered,
   * while the services are still there.
   */
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
    // Who has nothing more to send may still read its answer.
    Object.assign(server, { httpAllowHalfOpen: true })
    const connections = Connections.make(server)
    const requests = WaitingRequests.make()
    const settings = settingsOf(options, () => addressOf(host, port))
    const probes = Probes.make(settings)
    const on = (kind: keyof NodeListener.NodeListener) => {
      server.on(kind, (request: IncomingMessage, response: ServerResponse) => {
        connections.begin(response)
        const { headers, method } = request
        const isProbe = probes.handle(
          { method, url: originForm(request), authorization: headers.authorization },
          (answer) => sendNode(request, response, answer),
        )
        if (!isProbe) requests[kind](request, response)
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
    // Out of file descriptors, say: those who are connected are still served.
    server.on("error", (cause) => run(Effect.logError("Accepting a connection failed", cause)))

    const serve = Effect.gen(function* () {
      const listener = yield* NodeListener.make({
        ingest: yield* Ingest.make,
        match: IngestRoute.matcher([settings.basePath, ...settings.dsnPrefixes]),
        rest: yield* RestApp.make(settings),
        trustedProxies: settings.trustedProxies,
        isUpload: (url) => UploadApp.matches(url, settings),
      })
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

// Longer than load balancers keep theirs, or they would send requests on connections that are being closed.
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
      // Node throws for a port that there cannot be.
      failed(cause instanceof Error ? cause : new Error(String(cause)))
    }
  })

// Nobody can call on the address that means all of them.
function urlHost(host: string): string {
  return host === "0.0.0.0" || host === "::" || host === ""
    ? "localhost"
    : host.includes(":")
      ? `[${host}]`
      : host
}
