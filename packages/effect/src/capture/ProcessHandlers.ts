/** Reports fatal errors before they end the process. */
import { inspect } from "node:util"
import type { CaptureContext } from "./CaptureContext.js"

/** Options for the end of the process. */
export interface ProcessHandlerOptions {
  /** Maximum delay of the end of the process, in milliseconds. Default: 5,000. */
  readonly timeout?: number | undefined
}

/** Reports exceptions and rejections that end the process, and closes before a signal ends it. */
export class ProcessHandlers {
  private remove: (() => void) | undefined
  private isEnding = false

  constructor(
    private readonly errata: {
      readonly capture: (error: unknown, context: CaptureContext) => Promise<unknown>
      readonly close: () => Promise<void>
      readonly warn: (message: string) => void
    },
  ) {}

  /** Adds the handlers. Returns a function that removes them. Existing handlers stay. */
  install({ timeout = defaultTimeout }: ProcessHandlerOptions = {}): () => void {
    this.remove ??= this.listen(timeout)
    return () => this.uninstall()
  }

  uninstall(): void {
    this.remove?.()
    this.remove = undefined
  }

  // internal

  private listen(timeout: number): () => void {
    const exceptions = own((error: unknown) => this.crash("uncaughtException", error, timeout))
    const rejections = own((error: unknown) => this.crash("unhandledRejection", error, timeout))
    const stop = own((signal: NodeJS.Signals) => this.stop(signal, timeout))
    process.on("uncaughtException", exceptions)
    process.on("unhandledRejection", rejections)
    for (const signal of signals) process.on(signal, stop)
    return () => {
      process.off("uncaughtException", exceptions)
      process.off("unhandledRejection", rejections)
      for (const signal of signals) process.off(signal, stop)
    }
  }

  private crash(event: CrashEvent, error: unknown, timeout: number): void {
    const captured = this.errata.capture(error, { handled: false, severity: "fatal" })
    // The application listens too, and decides whether the process goes on.
    if (isHandledElsewhere(event)) return
    process.stderr.write(`${inspect(error)}\n`)
    // Its failure is in the log.
    const reported = captured.catch(() => undefined)
    this.end(
      () => reported.then(() => this.errata.close()),
      timeout,
      () => process.exit(1),
    )
  }

  private stop(signal: NodeJS.Signals, timeout: number): void {
    // The application handles the signal itself, and calls `close`.
    if (isHandledElsewhere(signal)) return
    this.end(this.errata.close, timeout, () => {
      this.uninstall()
      process.kill(process.pid, signal)
    })
  }

  private end(work: () => Promise<void>, timeout: number, exit: () => void): void {
    if (this.isEnding) return
    this.isEnding = true
    ending++
    const late = setTimeout(() => {
      this.errata.warn(`The process ends before Errata has closed: that took more than ${timeout} ms`)
      exit()
    }, timeout)
    work()
      .catch((error: unknown) => this.errata.warn(`Closing Errata failed: ${inspect(error)}`))
      .finally(() => {
        clearTimeout(late)
        if (--ending === 0) exit()
      })
  }
}

// internal

const defaultTimeout = 5_000

const signals: ReadonlyArray<NodeJS.Signals> = ["SIGTERM", "SIGINT"]

type CrashEvent = "uncaughtException" | "unhandledRejection"

const handlers = new WeakSet<object>()

const own = <Handler extends object>(handler: Handler): Handler => {
  handlers.add(handler)
  return handler
}

/** Returns true if the application listens too. Sentry marks listeners that only report. */
const isHandledElsewhere = (event: string): boolean =>
  process
    .listeners(event as NodeJS.Signals)
    .some((listener) => !handlers.has(listener) && !("_errorHandler" in listener))

/** Instances of the process that delay its end. */
let ending = 0
