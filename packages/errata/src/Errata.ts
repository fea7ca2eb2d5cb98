/** An instance inside the application. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { ErrataClient, Project } from "@errata/api/promise"
import type { IngestMessage, IngestTransport, Severity } from "@errata/core"
import type { CaptureContext, ProcessHandlerOptions, ProjectRef } from "@errata/effect/capture"
import type { ArtifactUpload } from "./ArtifactUpload.js"
import type { ScopeSetters, WithScope } from "./capture/Scopes.js"
import type { GroupEvents } from "./GroupEvents.js"

/** A handler for servers of Node, and for frameworks on it. It answers whatever it is given: mount it under a path. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void

/** A message of a transport. */
export interface ReceivedMessage extends Omit<IngestMessage, "project"> {
  /** An existing project, or the token that the sender has shown. Default: the project that `capture` reports to. */
  readonly project?: ProjectRef | { readonly token: string } | undefined
}

/** The calls of the REST API as functions, and uploads. */
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
  /** Projects whose events are heard. The instance's own project by default. */
  readonly project?: "all" | ProjectRef | ReadonlyArray<ProjectRef> | undefined
  /**
   * Nodes that listen with the same name share the events: one node hears each. An event is done with when the promise of
   * the listener resolves. If the listener rejects or its node is killed, any of the nodes hears it again. Events that no
   * node hears are kept for 7 days. Without it every node hears every event, once, for as long as it runs.
   */
  readonly queue?: string | undefined
}

/**
 * An error tracker in this process: the calls of the REST API as functions (`errata.groups.list(1)`), acting as the
 * system, and what only the process itself can have. All functions can be taken out of it and passed on.
 */
export interface Errata extends LocalClient, ScopeSetters {
  /** The project that `capture` reports to unless told. */
  readonly project: Pick<Project, "id" | "name" | "token">

  /**
   * Reports an error, or whatever was thrown. Answers the id of its event when that is durable; `reports.findByEventId`
   * finds it when it is recorded, some milliseconds later. It need not be waited for: what fails then is logged.
   *
   * The report also contains the parts of the current scope; those of the context come first. An error that is left out by
   * `ignoreErrors`, `sampleRate`, `maxRepeatsPerSecond` or `beforeCapture` has an id without a report. Within one request or
   * one trace, an error object is reported once: further captures answer the id of the first.
   *
   * Rejects with a `ServiceUnavailableError` where the queue, the disk or the storage refuses it, a `NotFoundError` where
   * there is no such project, an `ErrataClosedError` after `close`. It rejects with an `ErrataCaptureError` where `beforeCapture` fails. The rate limit counts it and does not refuse it.
   */
  readonly capture: (error: unknown, context?: CaptureContext) => Promise<string>

  /** Reports a message, with a severity or a context. Its severity is `info` by default. */
  readonly captureMessage: (message: string, context?: CaptureContext | Severity.Severity) => Promise<string>

  /**
   * Runs a function with a copy of the current scope and returns its result. The copy is the current scope until the function
   * and everything that it starts have ended. Changes of it do not leave it.
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
   * Accepts a message of one of the option's `transports`, and resolves to the reply of the transport. The message is
   * durable if the outcome is `Accepted`. Rejects with a TypeError for a transport that is not in the option, and with an
   * `ErrataClosedError` after `close`.
   */
  readonly receive: <Reply>(transport: IngestTransport<Reply>, message: ReceivedMessage) => Promise<Reply>

  /**
   * Reports uncaught exceptions and unhandled rejections as fatal before they end the process with status 1, and closes the
   * instance before SIGTERM or SIGINT ends it. An application that listens to one of these itself decides about the end:
   * its exceptions are reported, and nothing else is done. Answers a function that removes the handlers; `close` does too.
   */
  readonly installProcessHandlers: (options?: ProcessHandlerOptions) => () => void

  /**
   * Listens to changes of groups of a project, whichever process on the storage makes them: after they are committed, and those of
   * a group in their order. Every node with such a listener hears every event, or with the option `queue` one node does.
   * Listeners hear what webhooks get, so no changes of muted groups. Answers a function that ends it.
   */
  readonly on: <Event extends keyof GroupEvents>(
    event: Event,
    listener: (event: GroupEvents[Event]) => void | Promise<void>,
    options?: ListenerOptions,
  ) => () => void

  /**
   * The DSN of a project for its Sentry SDK; of the first project unless told. Throws a TypeError without the option
   * `baseUrl`.
   */
  readonly dsn: (project?: Pick<Project, "id" | "token">) => string

  /** The calls of the REST API with the rights of a user. They reject with an `UnauthorizedError` where none is active. */
  readonly asUser: (userId: number) => LocalClient

  /** REST, ingest, MCP, pages and health for servers of the fetch style. */
  readonly fetch: (request: Request) => Promise<Response>

  /**
   * The same for Node, Express (`app.use("/errors", errata.nodeHandler)`) and Fastify. Where something before it has read
   * the body, such as `express.json()`, it goes by the `request.body` that this left.
   */
  readonly nodeHandler: NodeHandler

  /**
   * Waits until all that this instance has captured or taken in so far is recorded, and its listeners are called. What comes
   * later, and what other processes put into the same storage, is not waited for.
   *
   * Rejects with an `ErrataTimeoutError` where something still waits after the timeout, in milliseconds; 5,000 unless
   * told. It is recorded later all the same. Rejects with an `ErrataClosedError` where the instance is closed before.
   */
  readonly flush: (options?: { readonly timeout?: number | undefined }) => Promise<void>

  /**
   * Ends the instance: what is under way is finished, workers stop, connections close; a pool of the application stays
   * open. What is accepted and not recorded by then is recorded at the next start on the same storage.
   */
  readonly close: () => Promise<void>

  readonly [Symbol.asyncDispose]: () => Promise<void>
}
