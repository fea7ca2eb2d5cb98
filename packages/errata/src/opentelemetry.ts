/** OpenTelemetry: reports of the exceptions that spans record. */
import { setTimeout } from "node:timers/promises"
import type { CaptureContext } from "@errata/effect/capture"
import type { Scope } from "./capture/Scope.js"
import type { WithScope } from "./capture/Scopes.js"

/** The part of an instance that the processor uses. */
export interface SpanErrata {
  readonly capture: (error: unknown, context?: CaptureContext) => Promise<string>
  readonly withScope: WithScope
}

/** A span that has started. */
export interface StartedSpan {
  recordException: Function
  readonly events?: ReadonlyArray<SpanEvent>
}

/** An event of a span; `time` is in seconds and nanoseconds. */
export interface SpanEvent {
  readonly name: string
  readonly time: readonly [seconds: number, nanoseconds: number]
  readonly attributes?: Readonly<Record<string, unknown>> | undefined
}

/** A span that has ended. */
export interface EndedSpan {
  readonly name: string
  readonly kind: number
  readonly spanContext: () => { readonly traceId: string; readonly spanId: string }
  readonly parentSpanContext?:
    | { readonly spanId: string; readonly isRemote?: boolean | undefined }
    | undefined
  /** Instead of `parentSpanContext` in version 1. */
  readonly parentSpanId?: string | undefined
  readonly status: { readonly code: number; readonly message?: string | undefined }
  readonly attributes: Readonly<Record<string, unknown>>
  readonly resource: { readonly attributes: Readonly<Record<string, unknown>> }
  readonly events: ReadonlyArray<SpanEvent>
}

/** A span processor of the OpenTelemetry SDK, version 1 or 2. */
export interface ErrataSpanProcessor {
  onStart(span: StartedSpan): void
  onEnd(span: EndedSpan): void
  forceFlush(): Promise<void>
  shutdown(): Promise<void>
}

/**
 * Returns a span processor that reports the exceptions of spans when these end, with the scope in which they were recorded.
 * An error that several spans record, or that the application captures as well, is reported once. A promise of an instance is
 * enough, so that tracing can start first.
 *
 * @example
 * ```ts
 * const provider = new NodeTracerProvider({ spanProcessors: [errataSpanProcessor(errata)] })
 * ```
 */
export const errataSpanProcessor = (errata: SpanErrata | Promise<SpanErrata>): ErrataSpanProcessor =>
  new SpanErrors(errata)

// internal

/** An exception as `recordException` got it. */
interface Recorded {
  readonly error: unknown
  readonly scope: Scope | undefined
}

interface Waiting extends Recorded {
  readonly context: CaptureContext
}

class SpanErrors implements ErrataSpanProcessor {
  private errata: SpanErrata | undefined
  private readonly opened: Promise<unknown>
  private readonly recorded = new WeakMap<SpanEvent, Recorded>()
  /** Exceptions without an object that were reported lately. */
  private readonly texts = new Set<string>()
  private readonly underWay = new Set<Promise<unknown>>()
  private waiting: Array<Waiting> = []
  private pausedUntil = Number.NEGATIVE_INFINITY
  private isShut = false

  constructor(errata: SpanErrata | Promise<SpanErrata>) {
    if (!(errata instanceof Promise)) this.errata = errata
    this.opened = Promise.resolve(errata).then(
      (opened) => {
        this.errata = opened
      },
      () => {
        // The application learns the reason from its own promise.
        this.isShut = true
        this.waiting = []
      },
    )
  }

  onStart(span: StartedSpan): void {
    const record = span.recordException
    span.recordException = (exception: unknown, ...rest: ReadonlyArray<unknown>) => {
      const before = span.events?.at(-1)
      const result: unknown = record.call(span, exception, ...rest)
      const event = span.events?.at(-1)
      if (event !== undefined && event !== before) {
        this.recorded.set(event, { error: exception, scope: this.scope() })
      }
      return result
    }
  }

  onEnd(span: EndedSpan): void {
    for (const event of span.events) {
      if (event.name !== "exception" || this.isShut || this.waiting.length >= maxWaiting) continue
      const known = this.recorded.get(event)
      const error = known?.error ?? errorOf(event)
      if (known === undefined && this.isKnown(span, event)) continue
      this.waiting.push({ error, scope: known?.scope ?? this.scope(), context: contextOf(span, event) })
      // Deferred, so that the application can capture the error first, with more context.
      if (this.waiting.length === 1) setImmediate(() => this.report())
    }
  }

  async forceFlush(): Promise<void> {
    await Promise.race([this.opened, setTimeout(openMillis, undefined, { ref: false })])
    this.report()
    await Promise.all(this.underWay)
  }

  async shutdown(): Promise<void> {
    this.isShut = true
    await this.forceFlush()
  }

  // internal

  private report(): void {
    const { errata } = this
    if (errata === undefined) {
      if (!this.isShut) void this.opened.then(() => this.report())
      return
    }
    for (const { context, error, scope } of this.waiting.splice(0)) {
      // Queries of a storage may have spans too. Their failures must not cause further failures.
      if (performance.now() < this.pausedUntil) continue
      const capture = () => errata.capture(error, context)
      const captured = (scope === undefined ? capture() : errata.withScope(scope, capture)).catch(() => {
        this.pausedUntil = performance.now() + pauseMillis
      })
      this.underWay.add(captured)
      void captured.then(() => this.underWay.delete(captured))
    }
  }

  private scope(): Scope | undefined {
    return this.errata?.withScope((scope) => scope)
  }

  private isKnown(span: EndedSpan, { attributes }: SpanEvent): boolean {
    const key = `${span.spanContext().traceId} ${JSON.stringify(attributes)}`
    if (this.texts.has(key)) return true
    if (this.texts.size >= maxWaiting) this.texts.clear()
    this.texts.add(key)
    return false
  }
}

const maxWaiting = 1_000
const openMillis = 2_000
const pauseMillis = 10_000

const kinds = ["internal", "server", "client", "producer", "consumer"]

const contextOf = (span: EndedSpan, { attributes = {}, time }: SpanEvent): CaptureContext => {
  const { spanId, traceId } = span.spanContext()
  const parentId = span.parentSpanContext?.spanId ?? span.parentSpanId
  return {
    handled: String(attributes["exception.escaped"]) !== "true",
    timestamp: time[0] + time[1] / 1e9,
    // Only the root span names the transaction.
    ...(parentId === undefined || span.parentSpanContext?.isRemote ? { transaction: span.name } : {}),
    contexts: {
      trace: { trace_id: traceId, span_id: spanId, parent_span_id: parentId },
      otel: {
        span: span.name,
        kind: kinds[span.kind],
        status: span.status,
        attributes: span.attributes,
        resource: span.resource.attributes,
      },
    },
  }
}

/** The error that attributes describe. Its stack is the recorded one. */
const errorOf = ({ attributes = {} }: SpanEvent): Error => {
  const error = new Error(String(attributes["exception.message"] ?? ""))
  error.name = String(attributes["exception.type"] ?? "Error")
  error.stack = String(attributes["exception.stacktrace"] ?? "")
  return error
}
