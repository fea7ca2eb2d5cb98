/** Creates an instance inside an application. */
import { type IngestMessage, type ProjectId, StorageError, ValidationError } from "@errata/core"
import { RealTimers, Waiting } from "@errata/core/internal"
import { HealthStore, UserStore } from "@errata/core/ports"
import { Losses, ProcessHandlers } from "@errata/effect/capture"
import { Cause, Effect, Exit, Layer, ManagedRuntime, Option, Scope } from "effect"
import * as ArtifactUpload from "./ArtifactUpload.js"
import { Capture, type CaptureFailure } from "./Capture.js"
import type { Errata, ListenerOptions, LocalClient, ReceivedMessage } from "./Errata.js"
import { layerCalls } from "./ErrataLayer.js"
import type { ErrataOptions } from "./ErrataOptions.js"
import { ErrataClosedError, ErrataStartError, ErrataTimeoutError } from "./Errors.js"
import { FirstProject } from "./FirstProject.js"
import { Gate } from "./Gate.js"
import { GroupListeners } from "./GroupListeners.js"
import * as Http from "./Http.js"
import { httpOptionsOf } from "./HttpOptions.js"
import * as InstanceLayer from "./InstanceLayer.js"
import { checkNames } from "./KnownNames.js"
import * as LocalCalls from "./LocalCalls.js"
import { redirectWarning } from "./NextRedirects.js"
import { checkOptions } from "./OptionNames.js"
import { refusalOf } from "./Refusals.js"
import { Reporter } from "./Reporter.js"
import { settingsOf } from "./Settings.js"
import { explained } from "./StorageFailure.js"
import { settled } from "./Unrecorded.js"

/**
 * Opens and migrates the storage, finds or creates a project, and starts the background workers. Reads the default
 * release and environment of reports from environment variables. Installs no signal handlers and no globals. Rejects
 * with an `ErrataStartError` and leaves nothing running if the start fails.
 *
 * @example
 * ```ts
 * const errata = await createErrata({ storage: memory() })
 * await errata.capture(new Error("Out of tea"), { tags: { kettle: "blue" } })
 * await errata.flush()
 * const { groups } = await errata.groups.list(errata.project.id)
 * await errata.close()
 * ```
 */
export const createErrata = (options: ErrataOptions): Promise<Errata> =>
  new Gate().run("createErrata", () => open(options))

/** Waits without a limit until notification rules were applied to all changes of groups so far. For tests. */
export const rulesApplied = (errata: Errata): Promise<void> =>
  applied.get(errata.close)?.() ?? Promise.resolve()

// internal

/** Keyed by `close`, which copies of an instance share. */
const applied = new WeakMap<Errata["close"], () => Promise<void>>()

const open = async (options: ErrataOptions): Promise<Errata> => {
  checkOptions(options)
  const settings = settingsOf(options.settings)
  const baseUrl = options.baseUrl === undefined ? undefined : String(options.baseUrl)
  const runtime = ManagedRuntime.make(InstanceLayer.make(options, settings, baseUrl))
  const { scheduler } = RealTimers
  const dispose = () => Effect.runPromise(runtime.disposeEffect, { scheduler })
  const started = await runtime.runPromiseExit(services, { scheduler })
  if (Exit.isFailure(started)) {
    await dispose()
    throw startError(started.cause)
  }
  const { capture, first, listeners, users } = started.value
  const context = await runtime.context()
  const runFork = Effect.runForkWith(context)
  const captures = new Gate()
  const calls = new Gate()
  const runAccepted = (accepted: Effect.Effect<string, CaptureFailure>) =>
    new Promise<string>((resolve, reject) => {
      runFork(accepted).addObserver((exit) => {
        if (Exit.isSuccess(exit)) resolve(exit.value)
        else reject(refusalOf("capture", exit))
      })
    })
  const losses = new Losses((message) => runFork(Effect.logWarning(message)), options.now ?? Date.now)

  const warning = baseUrl === undefined ? null : redirectWarning()
  if (warning !== null) runFork(Effect.logWarning(warning))

  const scope = Effect.runSync(Scope.make())
  const httpOptions = httpOptionsOf(options, baseUrl)
  const build = <A>(make: Effect.Effect<A, never, Http.Shared>) =>
    lazily(() => runtime.runPromise(Scope.provide(make, scope)))
  const called = build(Http.makeCalls({ baseUrl }, runtime.memoMap))
  const mount = build(Http.make(httpOptions, options.people, runtime.memoMap))

  const callsAs = (caller: LocalCalls.Caller): LocalClient => {
    const client = LocalCalls.clientAs(caller, settings.serviceName, (name, ...asked) =>
      calls.run(name, async () => (await called()).as(...asked)),
    )
    const upload: LocalClient["artifacts"]["upload"] = (projectId, files) =>
      calls.run("artifacts.upload", async () => {
        const built = Layer.buildWithMemoMap(layerCalls, runtime.memoMap, scope)
        const uploaded = await Effect.runPromiseExitWith(context)(
          Effect.flatMap(built, (services) =>
            Effect.provide(ArtifactUpload.upload(caller, projectId, files), services),
          ),
        )
        if (Exit.isFailure(uploaded)) throw refusalOf("artifacts.upload", uploaded)
        return uploaded.value
      })
    return { ...client, artifacts: { ...client.artifacts, upload } }
  }

  const close = async (): Promise<void> => {
    await Promise.all([captures.shut(shutMillis), calls.shut(shutMillis)])
    losses.sum()
    try {
      await runtime.runPromise(Scope.close(scope, Exit.void))
    } finally {
      await dispose()
      handlers.uninstall()
    }
  }
  let closing: Promise<void> | undefined
  const closeOnce = () => {
    closing ??= new Gate().run("close", close)
    return closing
  }

  const reporter = new Reporter({ captures, losses, events: capture, run: runAccepted }, options)

  const handlers = new ProcessHandlers({
    capture: reporter.capture,
    close: closeOnce,
    warn: (message) => {
      runFork(Effect.logWarning(message))
    },
  })

  applied.set(closeOnce, () =>
    calls.run("rulesApplied", () => runtime.runPromise(Effect.orDie(untilApplied))),
  )

  return {
    ...callsAs(LocalCalls.system),
    project: { id: first.id, name: first.name, token: first.token },
    asUser: (userId) => callsAs(LocalCalls.activeUser(users, userId)),
    ...reporter.scopes.setters,
    capture: reporter.capture,
    captureMessage: reporter.captureMessage,
    withScope: reporter.scopes.with,
    receive: (transport, message) =>
      calls.run("receive", async () => {
        if (options.transports?.includes(transport) !== true) throw new TypeError(unknownTransport)
        const project = projectOf(message, first)
        if (typeof project === "number") {
          const found = await Effect.runPromiseExitWith(context)(capture.find(project))
          if (Exit.isFailure(found)) throw refusalOf("receive", found)
        }
        return runtime.runPromise(transport.accept({ ...message, project }))
      }),
    installProcessHandlers: (handling) => handlers.install(handling),
    on: (event, listener, options = {}) => {
      checkNames(options, ["project", "queue"], "on")
      const { project = first, queue } = options
      return listeners.on(event, listener, { projects: projectIds(project), queue })
    },
    dsn: (project = first) => {
      if (baseUrl === undefined) {
        throw new TypeError("A DSN requires the address of Errata. Pass the option baseUrl to createErrata")
      }
      const { host, pathname, protocol } = new URL(baseUrl)
      return `${protocol}//${project.token}@${host}${pathname.replace(/\/+$/, "")}/${project.id}`
    },
    fetch: (request) =>
      calls.isOpen
        ? calls.run("fetch", async () => (await mount()).fetch(request))
        : Promise.resolve(Http.closed()),
    nodeHandler: Http.nodeHandler(calls, mount, (error) => {
      runFork(Effect.logError("Building the HTTP handler failed", error))
    }),
    flush: ({ timeout = flushMillis } = {}) =>
      calls.run("flush", async () => {
        const done = await runtime.runPromiseExit(
          Effect.promise(() => captures.settled()).pipe(
            Effect.andThen(settled),
            Effect.andThen(listeners.notified),
            // Batches in progress are finished, but the call does not wait longer for them.
            Waiting.atMost(timeout),
          ),
        )
        // Only the end of the instance interrupts it.
        if (Exit.hasInterrupts(done)) throw new ErrataClosedError("flush")
        if (Exit.isFailure(done)) throw Cause.squash(done.cause)
        if (Option.isNone(done.value)) throw new ErrataTimeoutError("flush", timeout)
      }),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  }
}

/** Returns a function that creates a value once. After a failure, the next call tries again. */
const lazily = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

const untilApplied = Effect.flatMap(HealthStore, ({ amounts }) => amounts).pipe(
  Effect.delay("5 millis"),
  Effect.repeat({ until: ({ waitingGroupEvents }) => waitingGroupEvents === 0 }),
  Effect.asVoid,
)

const unknownTransport = "Pass the transport to createErrata in the option transports"

/** A project with an id and a token needs no authentication: the application provides it. */
const projectOf = (
  { project }: ReceivedMessage,
  first: { readonly id: ProjectId },
): IngestMessage["project"] => {
  if (project === undefined) return first.id
  if (typeof project === "number") return project as ProjectId
  return "id" in project ? (project.id as ProjectId) : project
}

const projectIds = (projects: NonNullable<ListenerOptions["project"]>): "all" | ReadonlyArray<number> =>
  projects === "all"
    ? projects
    : [projects].flat().map((project) => (typeof project === "number" ? project : project.id))

const flushMillis = 5_000

/** Time limit for calls in progress when the instance closes. */
const shutMillis = 10_000

const services = Effect.all({
  capture: Capture,
  first: FirstProject,
  listeners: GroupListeners,
  users: UserStore,
})

/** Failures have a message for users. Anything else is a defect, and its message is used as it is. */
const startError = (cause: Cause.Cause<{ readonly message: string }>): ErrataStartError => {
  const failure = Cause.findErrorOption(cause)
  if (Option.isNone(failure)) {
    const defect = Cause.squash(cause)
    return new ErrataStartError(defect instanceof Error ? defect.message : String(defect), { cause: defect })
  }
  const { message } =
    failure.value instanceof StorageError
      ? explained(failure.value)
      : failure.value instanceof ValidationError
        ? { message: sentencesOf(failure.value) }
        : failure.value
  return new ErrataStartError(message, { cause: failure.value })
}

/** Joins the messages of a validation error. Only the project is validated. */
const sentencesOf = ({ errors }: ValidationError): string =>
  Object.entries(errors)
    .map(([field, messages]) => `${field === "project" ? field : `project ${field}`} ${messages.join(", ")}`)
    .join("; ")
