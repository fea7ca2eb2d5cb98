/** Reports to a server by DSN. */
import { hostname } from "node:os"
import { Cause, Context, Duration, Effect, Layer, type Redacted, type Scope } from "effect"
import {
  bytesOf,
  type CaptureContext,
  CaptureControl,
  type CaptureControlOptions,
  type EventDefaults,
  environmentOf,
  eventOf,
  eventOfMessage,
  ProcessHandlers,
  releaseOf,
} from "./capture.js"
import { Delivery } from "./Delivery.js"
import * as Dsn from "./Dsn.js"
import { errorReporter } from "./ErrorReporting.js"
import { type LoggerOptions, logger } from "./LogReporting.js"
import { Message } from "./Message.js"
import { Reporter, type Send } from "./Reporter.js"

export { errorReporter, logger }

/** The options of `Errata.layer`. */
export interface Options extends LoggerOptions, Partial<EventDefaults>, CaptureControlOptions {
  /** The address that the server printed. Without it, and without `ERRATA_DSN` or `SENTRY_DSN`, nothing is reported. */
  readonly dsn?: string | Redacted.Redacted<string> | undefined
  /** Time limit for the delivery of reports at shutdown. Default: 3 seconds. */
  readonly shutdownTimeout?: Duration.Input | undefined
  /** Reports errors outside of Effect that end the process. True by default. */
  readonly processHandlers?: boolean | undefined
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Reports on their way to the server. */
export class Client extends Context.Service<
  Client,
  {
    /** Waits until all reports are delivered or lost. Returns false if the time is over first. */
    readonly flush: (timeout: Duration.Input) => Effect.Effect<boolean>
  }
>()("@errata/effect/Client") {}

/**
 * Reports every failure that reaches Effect's `ErrorReporter`, the lines of `Effect.logError` and `Effect.logFatal`, and
 * errors that end the process. Fails with `InvalidDsn` if the DSN cannot be read.
 */
export const layer = (options: Options = {}): Layer.Layer<Reporter | Client, Dsn.InvalidDsn> =>
  Layer.provideMerge(Layer.merge(errorReporter, logger(options)), layerReporter(options))

/** `layer` without automatic reports: combine it with `errorReporter` and `logger`, or use `capture`. */
export const layerReporter = (options: Options = {}): Layer.Layer<Reporter | Client, Dsn.InvalidDsn> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const address = options.dsn ?? process.env.ERRATA_DSN ?? process.env.SENTRY_DSN ?? ""
      if (address === "") {
        yield* Effect.logDebug("Errors are not reported, because no DSN is configured")
        return servicesOf(
          () => {},
          () => Effect.succeed(true),
        )
      }
      const dsn = yield* Effect.fromResult(Dsn.parse(address))
      const timeout = options.shutdownTimeout ?? "3 seconds"
      const delivery = yield* Delivery.make({ dsn, fetch: options.fetch ?? globalThis.fetch }, timeout)
      const send = yield* sendTo(delivery, options)
      if (options.processHandlers !== false) yield* handleProcess(send, delivery.end(timeout), timeout)
      return servicesOf(send, (limit) => delivery.flush(limit))
    }),
  )

/**
 * Reports an error or a `Cause` with the context of the fiber: span, annotations, request, breadcrumbs. Does not wait
 * for the delivery. Ignored errors, and those reported before, are skipped.
 */
export const capture = (
  error: unknown,
  context?: Omit<CaptureContext, "project">,
): Effect.Effect<void, never, Reporter> =>
  Effect.flatMap(Reporter, ({ reportCause }) =>
    Effect.withFiber((fiber) =>
      Effect.sync(() => reportCause(Cause.isCause(error) ? error : Cause.fail(error), { fiber, context })),
    ),
  )

// internal

const servicesOf = (send: Send, flush: Client["Service"]["flush"]): Context.Context<Reporter | Client> =>
  Context.make(Reporter, Reporter.from(send)).pipe(Context.add(Client, { flush }))

const sendTo = (delivery: Delivery, options: Options): Effect.Effect<Send> =>
  Effect.clockWith((clock) => {
    const defaults: EventDefaults = {
      release: options.release ?? releaseOf(process.env),
      environment: options.environment ?? environmentOf(process.env),
      serverName: options.serverName ?? hostname(),
      root: options.root ?? process.cwd(),
    }
    const control = new CaptureControl(options, Math.random, () => clock.currentTimeMillisUnsafe())
    return Effect.succeed((thrown, context) => {
      const subject = thrown instanceof Message ? thrown.text : thrown
      if (isLeftOut(control, subject, context, delivery)) return
      const eventId = crypto.randomUUID().replaceAll("-", "")
      const parts = { ...defaults, eventId, now: clock.currentTimeMillisUnsafe() }
      const event =
        thrown instanceof Message
          ? eventOfMessage(thrown.text, context, parts)
          : eventOf(thrown, context, parts)
      const encoded = (made: typeof event) => ({ eventId, body: bytesOf(made, maxEventBytes) })
      if (!control.changesEvents) delivery.offer(encoded(event))
      else {
        const changed = control.changed(event, subject)
        delivery.prepare(changed.then((made) => (made === null ? null : encoded(made))))
      }
    })
  })

const isLeftOut = (
  control: CaptureControl,
  subject: unknown,
  { severity }: CaptureContext,
  delivery: Delivery,
): boolean => {
  if (control.isIgnored(subject)) return true
  if (severity === "fatal") return false
  const reason = control.leftOut(subject)
  if (reason === "repeated") delivery.leaveOut(repeated)
  return reason !== null
}

const repeated = "It repeats too often. The option maxRepeatsPerSecond has the limit"

/** The default of Errata's servers, and the limit of Sentry's. */
const maxEventBytes = 1024 * 1024

const handleProcess = (
  send: Send,
  end: Effect.Effect<void>,
  timeout: Duration.Input,
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const handlers = new ProcessHandlers({
      capture: async (error, about) => send(error, about),
      close: () => Effect.runPromiseWith(context)(end),
      warn: (message) => Effect.runForkWith(context)(Effect.logWarning(message)),
    })
    handlers.install({ timeout: Duration.toMillis(timeout) })
    yield* Effect.addFinalizer(() => Effect.sync(() => handlers.uninstall()))
  })
