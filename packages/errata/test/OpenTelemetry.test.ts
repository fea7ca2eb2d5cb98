/** With the OpenTelemetry SDK, whose globals belong to the process. Nothing else in this thread sets them. */
import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api"
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node"
import { Tracer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CaptureEvent, Errata } from "../src/index.js"
import { type ErrataSpanProcessor, errataSpanProcessor } from "../src/opentelemetry.js"
import { collecting, messageOf } from "./support/Events.js"
import { failureOf, instances } from "./support/Instances.js"

describe("OpenTelemetry", () => {
  const make = instances()
  beforeAll(() => {
    new NodeTracerProvider().register()
  })
  afterAll(() => {
    trace.disable()
    context.disable()
    propagation.disable()
  })

  const collect = async () => {
    const { events, options } = collecting()
    return { events, errata: await make(options) }
  }
  const tracing = (processor: ErrataSpanProcessor) =>
    new NodeTracerProvider({ spanProcessors: [processor] }).getTracer("shop")
  const traced = async () => {
    const { errata, events } = await collect()
    const processor = errataSpanProcessor(errata)
    return { errata, events, processor, tracer: tracing(processor) }
  }
  const traceOf = (event: CaptureEvent) => event.contexts?.["trace"]

  it("adds the ids of the active span to reports", async () => {
    const { errata, events } = await collect()
    const tracer = new NodeTracerProvider().getTracer("shop")
    await errata.capture(new Error("outside"))
    const ids = await tracer.startActiveSpan("brew", async (span) => {
      await new Promise((resolve) => setImmediate(resolve))
      await errata.capture(new Error("inside"))
      await errata.captureMessage("inside too")
      await errata.capture(new Error("own"), { contexts: { trace: { trace_id: "mine" } } })
      span.end()
      return span.spanContext()
    })
    const trace = { trace_id: ids.traceId, span_id: ids.spanId }
    expect(events.map(traceOf)).toEqual([undefined, trace, trace, { trace_id: "mine" }])
  })

  it("receives the spans of Errata's own work, as children of the active span", async () => {
    const exporter = new InMemorySpanExporter()
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    const errata = await make({ tracer: provider.getTracer("errata") })
    const tracer = provider.getTracer("shop")
    const ids = await tracer.startActiveSpan("GET /", async (span) => {
      await failureOf(errata.groups.resolve(errata.project.id, 404))
      span.end()
      return span.spanContext()
    })
    const spans = exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === ids.traceId)
    const namesAbove = (span: ReadableSpan): ReadonlyArray<string> => {
      const above = spans.find((other) => other.spanContext().spanId === span.parentSpanContext?.spanId)
      return above === undefined ? [span.name] : [...namesAbove(above), span.name]
    }
    const failed = spans.find(({ name }) => name === "Groups.resolve")!
    expect(failed).toMatchObject({ status: { code: SpanStatusCode.ERROR }, events: [] })
    expect(namesAbove(failed)[0]).toBe("GET /")
    expect(namesAbove(failed).length).toBeGreaterThanOrEqual(2)
    // The same with Effect's tracer.
    const names: Array<string> = []
    const own = await make({
      tracer: Tracer.make({
        span: (options) => {
          names.push(options.name)
          return new Tracer.NativeSpan(options)
        },
      }),
    })
    await failureOf(own.groups.resolve(own.project.id, 404))
    expect(names).toContain("Groups.resolve")
  })

  it("reports the exception of a span with the span, its resource and the scope", async () => {
    const { errata, events, processor, tracer } = await traced()
    const error = new RangeError("empty tin")
    await errata.withScope(async () => {
      errata.setUser({ id: 7 })
      tracer.startActiveSpan("GET /tea", { kind: SpanKind.SERVER, attributes: { cups: 2 } }, (span) => {
        span.recordException(error)
        span.end()
      })
    })
    await processor.forceFlush()
    expect(events).toMatchObject([
      {
        transaction: "GET /tea",
        user: { id: 7 },
        contexts: {
          trace: {
            trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
            span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
          },
          otel: {
            span: "GET /tea",
            kind: "server",
            attributes: { cups: 2 },
            resource: { "telemetry.sdk.language": "nodejs" },
          },
        },
      },
    ])
    const exception = events[0]!.exception!.values.at(-1)!
    expect(exception).toMatchObject({ type: "RangeError", value: "empty tin", mechanism: { handled: true } })
    expect(exception.stacktrace.frames.at(-1)).toMatchObject({
      filename: "packages/errata/test/OpenTelemetry.test.ts",
    })
  })

  it("reports an exception once, even if several spans and the application report it", async () => {
    const { errata, events, processor, tracer } = await traced()
    const fail = (error: Error, inside: (span: Span) => void = () => {}) =>
      tracer.startActiveSpan("outer", (outer) => {
        try {
          tracer.startActiveSpan("inner", (inner) => {
            inner.recordException(error)
            inner.end()
            throw error
          })
        } catch (caught) {
          outer.recordException(caught as Error)
          inside(outer)
          throw caught
        } finally {
          outer.end()
        }
      })
    const caught = (work: () => void): unknown => {
      try {
        return work()
      } catch (error) {
        return error
      }
    }

    caught(() => fail(new Error("recorded twice")))
    await processor.forceFlush()

    caught(() => fail(new Error("captured inside"), () => void errata.capture("another")))
    await processor.forceFlush()

    // Outside of the trace: before the report of the span, and after it.
    await errata.capture(
      caught(() => fail(new Error("captured first"))),
      { tags: { by: "application" } },
    )
    await processor.forceFlush()
    const late = caught(() => fail(new Error("captured last")))
    await processor.forceFlush()
    await errata.capture(late)

    expect(events.map(messageOf)).toEqual([
      "recorded twice",
      "another",
      "captured inside",
      "captured first",
      "captured last",
    ])
    expect(events[3]!.tags).toEqual({ by: "application" })
    // Another trace: the error happened again.
    caught(() => fail(late as Error))
    await processor.forceFlush()
    expect(events).toHaveLength(6)
  })

  it("reports exceptions that spans only describe, once for each trace", async () => {
    const { events, processor, tracer } = await traced()
    const describeIn = (name: string) => {
      const span = tracer.startSpan(name)
      const attributes = {
        "exception.type": "ValueError",
        "exception.message": "bad",
        "exception.stacktrace": "ValueError: bad\n    at brew (/shop/tea.js:3:7)",
        "exception.escaped": true,
      }
      const inTrace = trace.setSpan(context.active(), span)
      const child = tracer.startSpan("child", {}, inTrace)
      child.addEvent("exception", attributes)
      child.addEvent("something else", attributes)
      child.end()
      span.addEvent("exception", attributes)
      span.end()
    }
    describeIn("one")
    describeIn("two")
    tracer.startActiveSpan("text", (span) => {
      span.recordException("only a text")
      span.end()
    })
    await processor.forceFlush()
    expect(events.map(messageOf)).toEqual(["bad", "bad", "only a text"])
    expect(events[0]!.exception!.values.at(-1)).toMatchObject({
      type: "ValueError",
      mechanism: { handled: false },
      stacktrace: { frames: [{ function: "brew", lineno: 3 }] },
    })
    expect(events[0]!.transaction).toBeUndefined()
  })

  it("waits for an instance that is not open yet", async () => {
    const { errata, events } = await collect()
    let open = (_: Errata) => {}
    const processor = errataSpanProcessor(
      new Promise<Errata>((resolve) => {
        open = resolve
      }),
    )
    tracing(processor).startActiveSpan("early", (span) => {
      span.recordException(new Error("early"))
      span.end()
    })
    await new Promise((resolve) => setImmediate(resolve))
    open(errata)
    await processor.shutdown()
    await processor.forceFlush()
    expect(events.map(messageOf)).toEqual(["early"])
  })

  it("reports nothing if no instance opens, and continues", async () => {
    const processor = errataSpanProcessor(Promise.reject(new Error("no storage")))
    const span = tracing(processor).startSpan("lost")
    span.recordException(new Error("lost"))
    span.end()
    await new Promise((resolve) => setImmediate(resolve))
    await processor.forceFlush()
    await processor.shutdown()
  })

  it("does not loop if the storage fails and its queries are spans", async () => {
    let captures = 0
    const processor: ErrataSpanProcessor = errataSpanProcessor({
      withScope: (await make()).withScope,
      capture: async () => {
        captures++
        record()
        throw new Error("no storage")
      },
    })
    const tracer = tracing(processor)
    const record = () => {
      const span = tracer.startSpan("query")
      span.recordException(new Error(`query ${captures} failed`))
      span.end()
    }
    record()
    for (let i = 0; i < 20; i++) await processor.forceFlush()
    expect(captures).toBe(1)
  })
})
