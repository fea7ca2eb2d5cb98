/** An Errata server on Node: it listens while its scope is open. */
import { createServer, type Server } from "node:http"
import type { Socket } from "node:net"
import type { Services } from "@errata/core"
import { Context, Data, Duration, Effect, Layer, Runtime, Schedule, type Scope } from "effect"
import { type HttpOptions, settingsOf } from "./HttpOptions.js"
import * as Ingest from "./Ingest.js"
import * as IngestRoute from "./IngestRoute.js"
import * as NodeListener from "./NodeListener.js"
import * as RestApp from "./rest/RestApp.js"

export interface ErrataServerOptions extends HttpOptions {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  /** How long a stop waits for requests in flight; 10 seconds by default. */
  readonly shutdownTimeout?: Duration.DurationInput | undefined
  /** How long a request may take to arrive; 60 seconds by default. */
  readonly requestTimeout?: Duration.DurationInput | undefined
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
export class ErrataServer extends Context.Tag("@errata/http/ErrataServer")<
  ErrataServer,
  {
    readonly host: string
    /** The port listened on, also where 0 was asked for. */
    readonly port: number
    /** The configured base URL, else the address listened on. Without a trailing slash. */
    readonly baseUrl: string
  }
>() {
  /**
   * Listens until the scope closes: then no more connections are accepted, requests in flight are answered, idle
   * connections are closed, and after the timeout those left are cut.
   */
  static readonly layer = (
    options: ErrataServerOptions,
  ): Layer.Layer<ErrataServer, ListenError, Services.Services> => Layer.scoped(ErrataServer, make(options))
}

const make = (
  options: ErrataServerOptions,
): Effect.Effect<ErrataServer["Type"], ListenError, Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    let ownUrl = ""
    const settings = settingsOf(options, () => ownUrl)
    const listener = yield* NodeListener.make({
      ingest: yield* Ingest.make,
      match: IngestRoute.matcher([settings.basePath, ...settings.dsnPrefixes]),
      rest: yield* RestApp.make(settings),
    })
    const requestTimeout = Duration.toMillis(options.requestTimeout ?? "60 seconds")
    const server = createServer({
      requestTimeout,
      headersTimeout: Math.min(requestTimeout, maxHeadersMillis),
      connectionsCheckingInterval: Math.min(requestTimeout, checkingMillis),
      keepAliveTimeout: keepAliveMillis,
    })
    server.on("request", listener.request)
    server.on("checkContinue", listener.checkContinue)
    const run = Runtime.runFork(yield* Effect.runtime<never>())

    const sockets = openSockets(server)

    const port = yield* Effect.acquireRelease(listen(server, options.host, options.port), () =>
      stop(server, sockets, options.shutdownTimeout ?? "10 seconds"),
    )
    // Out of file descriptors, say: those who are connected are still served.
    server.on("error", (cause) => run(Effect.logError("Accepting a connection failed", cause)))
    ownUrl = `http://${urlHost(options.host)}:${port}`
    return { host: options.host, port, baseUrl: settings.baseUrl() }
  })

// internal

const maxHeadersMillis = 20_000
const checkingMillis = 5_000

// Longer than load balancers keep theirs, or they would send requests on connections that are being closed.
const keepAliveMillis = 65_000

const listen = (server: Server, host: string, port: number): Effect.Effect<number, ListenError> =>
  Effect.async((resume) => {
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

const openSockets = (server: Server): ReadonlySet<Socket> => {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  return sockets
}

const stop = (
  server: Server,
  sockets: ReadonlySet<Socket>,
  timeout: Duration.DurationInput,
): Effect.Effect<void> => {
  const closed = Effect.async<void>((resume) => {
    // Answers from now on tell that their connection ends with them.
    server.prependListener("request", (_, response) => {
      response.shouldKeepAlive = false
    })
    server.close(() => resume(Effect.void))
  })
  // A connection becomes idle when its last answer is out; Node would keep it for the keep-alive timeout. Those that
  // were opened and never used are not idle to Node, and it would wait for them.
  const closeIdle = Effect.repeat(
    Effect.sync(() => {
      server.closeIdleConnections()
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }),
    Schedule.spaced("25 millis"),
  )
  return Effect.raceFirst(closed, Effect.zipRight(closeIdle, Effect.never)).pipe(
    Effect.timeoutOption(timeout),
    Effect.zipRight(Effect.sync(() => server.closeAllConnections())),
    Effect.interruptible,
  )
}

// Nobody can call on the address that means all of them.
const urlHost = (host: string): string =>
  host === "0.0.0.0" || host === "::" || host === "" ? "localhost" : host.includes(":") ? `[${host}]` : host
