/** The interface of an instance inside an application. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { ErrataClient, Project } from "@errata/api/promise"
import type { IngestMessage, IngestTransport, Severity } from "@errata/core"
import type { CaptureContext, ProcessHandlerOptions, ProjectRef } from "@errata/effect/capture"
import type { ArtifactUpload } from "./ArtifactUpload.js"
import type { ScopeSetters, WithScope } from "./capture/Scopes.js"
import type { GroupEvents } from "./GroupEvents.js"

/** A request handler for Node servers and frameworks. It responds to every request, so mount it under a path. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void

/** A message of a transport. */
export interface ReceivedMessage extends Omit<IngestMessage, "project"> {
  /** An existing project, or the token that the sender presented. Default: the project that `capture` reports to. */
  readonly project?: ProjectRef | { readonly token: string } | undefined
}

/** The REST API as functions, and uploads. */
export interface LocalClient extends ErrataClient {
  readonly artifacts: ErrataClient["artifacts"] & {
    /**
     * Uploads scripts and source maps of a release, which is created if it is new. Resolves to the ids of the uploads, as
     * `artifacts.get` takes them. If a file is rejected, the files before it are kept.
     */
    readonly upload: (projectId: number, upload: ArtifactUpload) => Promise<ReadonlyArray<number>>
  }
}

/** The options of `errata.on`. */
export interface ListenerOptions {
  /** Projects whose events are delivered. Default: the instance's own project. */
  readonly project?: "all" | ProjectRef | ReadonlyArray<ProjectRef> | undefined
  /**
   * Nodes that listen with the same queue name share the events: one node receives each. An event is acknowledged when
   * the listener's promise resolves. If it rejects or the node is killed, any of the nodes receives the event again.
   * Unreceived events are kept for 7 days. Without a queue, every node receives every event once, while it runs.
   */
  readonly queue?: string | undefined
}

/**
 * An error tracker in this process: the REST API as functions (`errata.groups.list(1)`), acting as the system, and
 * functions that only a process can have. All functions can be detached and passed on.
 */
export interface Errata extends LocalClient, ScopeSetters {
  /** The default project of `capture`. */
  readonly project: Pick<Project, "id" | "name" | "token">

  /**
   * Reports an error or any other thrown value. Resolves to the id of its event once that is durable.
   * `reports.findByEventId` finds it after it is recorded, some milliseconds later. You need not await it: failures are
   * logged.
   *
   * The report contains the current scope; values of the context take precedence. An error that `ignoreErrors`,
   * `sampleRate`, `maxRepeatsPerSecond` or `beforeCapture` discards has an id without a report. Within one request or
   * one trace, an error object is reported once: further captures resolve to the first id.
   *
   * Rejects with a `ServiceUnavailableError` if the queue, the disk limit or the storage rejects the event, and with a
   * `NotFoundError` for an unknown project. Rejects with an `ErrataCaptureError` if `beforeCapture` fails, and with an
   * `ErrataClosedError` after `close`. Captures count toward the rate limit and are not rejected by it.
   */
  readonly capture: (error: unknown, context?: CaptureContext) => Promise<string>

  /** Reports a message, with a severity or a context. The default severity is `info`. */
  readonly captureMessage: (message: string, context?: CaptureContext | Severity.Severity) => Promise<string>

  /**
   * Runs a function with a copy of the current scope and returns its result. The copy is current until the function and
   * everything that it starts have ended. Changes of the copy do not affect the original.
   *
   * @example
   * ```ts
   * await errata.withScope(async (scope) => {
   *   scope.setTag("queue", "mails")
   *   await sendMails()
   * })
   * ```
   */
  readonly withScope: WithScope

  /**
   * Accepts a message of one of the option's `transports` and resolves to the transport's reply. The message is durable
   * if the outcome is `Accepted`. Rejects with a TypeError for other transports and malformed messages, with a
   * `NotFoundError` for an unknown project, and with an `ErrataClosedError` after `close`.
   */
  readonly receive: <Reply>(transport: IngestTransport<Reply>, message: ReceivedMessage) => Promise<Reply>

  /**
   * Reports uncaught exceptions and unhandled rejections as fatal before they end the process with status 1. Closes the
   * instance before SIGTERM or SIGINT ends the process. If the application listens to one of these itself, its
   * exceptions are reported and the process is left to it. Returns a function that removes the handlers.
   */
  readonly installProcessHandlers: (options?: ProcessHandlerOptions) => () => void

  /**
   * Listens to changes of groups of a project, made by any process on the same storage. Events arrive after the commit,
   * in order within a group. Every node with such a listener receives every event; with the option `queue`, one does.
   * Listeners receive the events of webhooks, so none of muted groups. Returns a function that removes the listener.
   */
  readonly on: <Event extends keyof GroupEvents>(
    event: Event,
    listener: (event: GroupEvents[Event]) => void | Promise<void>,
    options?: ListenerOptions,
  ) => () => void

  /** The DSN of a project, by default the instance's own. Throws a TypeError without the option `baseUrl`. */
  readonly dsn: (project?: Pick<Project, "id" | "token">) => string

  /** The REST API with the permissions of a user. Calls reject with an `UnauthorizedError` for inactive users. */
  readonly asUser: (userId: number) => LocalClient

  /** Handles requests for REST, ingest, MCP, pages and health, in the style of `fetch`. */
  readonly fetch: (request: Request) => Promise<Response>

  /**
   * The same for Node, Express (`app.use("/errors", errata.nodeHandler)`) and Fastify. If middleware such as
   * `express.json()` has read the body, the handler uses `request.body`.
   */
  readonly nodeHandler: NodeHandler

  /**
   * Waits until everything that this instance has captured or accepted so far is recorded, and its listeners were
   * called. It does not wait for later events, or for those of other processes on the same storage.
   *
   * Rejects with an `ErrataTimeoutError` after `timeout` milliseconds (default: 5,000). The rest is recorded
   * nevertheless. Rejects with an `ErrataClosedError` if the instance is closed meanwhile.
   */
  readonly flush: (options?: { readonly timeout?: number | undefined }) => Promise<void>

  /**
   * Closes the instance: calls in progress finish, workers stop, connections close. A pool of the application stays
   * open. Accepted events that are not recorded yet are recorded at the next start on the same storage.
   */
  readonly close: () => Promise<void>

  readonly [Symbol.asyncDispose]: () => Promise<void>
}
