/** Errata's own spans as spans of a tracer of OpenTelemetry. */
import { Exit, Option, Tracer } from "effect"
import { contextWith } from "./capture/ActiveSpan.js"

/** The part of a tracer of `@opentelemetry/api` that is used. */
export interface OpenTelemetryTracer {
  startSpan(
    name: string,
    options: { readonly kind: number; readonly root: boolean; readonly startTime: [number, number] },
    context?: never,
  ): OpenTelemetrySpan
}

/** The part of a span of `@opentelemetry/api` that is used. */
export interface OpenTelemetrySpan {
  spanContext(): { readonly traceId: string; readonly spanId: string; readonly traceFlags: number }
  setAttribute(key: string, value: string | number | boolean): unknown
  addEvent(name: string, attributes: Record<string, string>, time: [number, number]): unknown
  setStatus(status: { readonly code: number; readonly message?: string }): unknown
  end(time: [number, number]): void
}

/** The tracer as one of Effect. */
export const effectTracer = (tracer: OpenTelemetryTracer): Tracer.Tracer =>
  Tracer.make({ span: (options) => new ForwardedSpan(tracer, options) })

// internal

type SpanOptions = Parameters<Tracer.Tracer["span"]>[0]

class ForwardedSpan extends Tracer.NativeSpan {
  private readonly to: OpenTelemetrySpan
  readonly isKept: boolean

  constructor(tracer: OpenTelemetryTracer, options: SpanOptions) {
    super(options)
    const { kind, name, parent, root, startTime } = options
    // Without a parent in Errata, the active span of the caller is the parent.
    const context = Option.isSome(parent) ? contextOf(parent.value) : undefined
    const start = { kind: kinds.indexOf(kind), root, startTime: timeOf(startTime) }
    this.to = tracer.startSpan(name, start, context as never)
    const ids = this.to.spanContext()
    this._traceId = ids.traceId
    this._spanId = ids.spanId
    this.isKept = (ids.traceFlags & sampledFlag) !== 0
  }

  override attribute(key: string, value: unknown): void {
    super.attribute(key, value)
    this.to.setAttribute(key, valueOf(value))
  }

  override event(name: string, startTime: bigint, attributes: Record<string, unknown> = {}): void {
    super.event(name, startTime, attributes)
    const texts = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, String(value)]))
    this.to.addEvent(name, texts, timeOf(startTime))
  }

  override end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    super.end(endTime, exit)
    // The exception itself is not recorded: a span processor would report Errata's failures to Errata.
    if (Exit.isFailure(exit) && !Exit.hasInterrupts(exit)) this.to.setStatus({ code: errorCode })
    this.to.end(timeOf(endTime))
  }
}

const errorCode = 2
const sampledFlag = 1

const contextOf = (parent: Tracer.AnySpan): unknown => {
  const { sampled, spanId, traceId } = parent
  const isKept = parent instanceof ForwardedSpan ? parent.isKept : sampled
  return contextWith({ traceId, spanId, traceFlags: isKept ? sampledFlag : 0 })
}

const kinds: ReadonlyArray<Tracer.SpanKind> = ["internal", "server", "client", "producer", "consumer"]

const second = 1_000_000_000n

const timeOf = (nanos: bigint): [number, number] => [Number(nanos / second), Number(nanos % second)]

const valueOf = (value: unknown): string | number | boolean =>
  typeof value === "number" || typeof value === "boolean" ? value : String(value)
