/** `capture` and `captureMessage` of an instance: they add the scope and skip ignored errors. */
import { Secrets } from "@errata/core/internal"
import {
  type CaptureContext,
  CaptureControl,
  type CaptureControlOptions,
  type CaptureEvent,
  type Losses,
} from "@errata/effect/capture"
import type { Effect } from "effect"
import type { Capture, CaptureFailure } from "./Capture.js"
import { activeSpan, type SpanIds } from "./capture/ActiveSpan.js"
import { Occurrences } from "./capture/Occurrences.js"
import { Scopes } from "./capture/Scopes.js"
import type { Errata } from "./Errata.js"
import { ErrataCaptureError } from "./Errors.js"
import type { Gate } from "./Gate.js"
import { readable } from "./Readable.js"

/** The parts of an instance that reports go through. */
export interface Reporting {
  readonly captures: Gate
  readonly losses: Losses
  readonly events: Pick<typeof Capture.Service, "read" | "readMessage" | "send">
  readonly run: (accepted: Effect.Effect<string, CaptureFailure>) => Promise<string>
}

export class Reporter {
  readonly scopes: Scopes
  private readonly control: CaptureControl
  private readonly occurrences = new Occurrences()

  constructor(
    private readonly instance: Reporting,
    options: CaptureControlOptions & { readonly now?: (() => number) | undefined },
  ) {
    this.scopes = new Scopes(options.now ?? Date.now)
    this.control = new CaptureControl(options)
  }

  readonly capture: Errata["capture"] = (error, context) =>
    this.report(error, context ?? {}, this.instance.events.read)

  readonly captureMessage: Errata["captureMessage"] = (message, context) =>
    this.report(
      String(message),
      typeof context === "string" ? { severity: context } : (context ?? {}),
      this.instance.events.readMessage,
    )

  // internal

  private report<A>(thrown: A, context: CaptureContext, read: Read<A>): Promise<string> {
    const { captures, losses } = this.instance
    const captured = captures.run("capture", () => this.store(thrown, context, read))
    // An application must not end because its error could not be reported.
    captured.catch((failure: Error) => losses.note(failure))
    return captured
  }

  /** Reads the error before it waits for anything. */
  private async store<A>(thrown: A, given: CaptureContext, read: Read<A>): Promise<string> {
    const scope = this.scopes.current
    const span = activeSpan()
    const context = withTrace(readable(() => scope.completed(given)) ?? scope.completed({}), span)
    const place = { work: scope.work, traceId: traceOf(context), project: context.project }
    if (this.control.isIgnored(thrown)) return Secrets.generateEventId()
    if (context.severity !== "fatal") {
      const earlier = this.occurrences.find(thrown, place)
      if (earlier !== undefined) return earlier
      if (this.isLeftOut(thrown)) {
        const eventId = Secrets.generateEventId()
        this.occurrences.add(thrown, place, eventId)
        return eventId
      }
    }
    const event = read(thrown, context)
    this.occurrences.add(thrown, place, event.event_id)
    const changed = this.control.changesEvents ? await this.changed(event, thrown) : event
    if (changed === null) return event.event_id
    return this.instance.run(this.instance.events.send(changed, context.project))
  }

  private isLeftOut(thrown: unknown): boolean {
    const reason = this.control.leftOut(thrown)
    if (reason === "repeated") this.instance.losses.note(new Error(repeated))
    return reason !== null
  }

  private async changed(event: CaptureEvent, thrown: unknown): Promise<CaptureEvent | null> {
    try {
      return await this.control.changed(event, thrown)
    } catch (error) {
      throw new ErrataCaptureError(`beforeCapture failed: ${String(error)}`, { cause: error })
    }
  }
}

// internal

type Read<A> = (thrown: A, context: CaptureContext) => CaptureEvent

const repeated = "it repeats too often. The option maxRepeatsPerSecond has the limit"

const withTrace = (context: CaptureContext, span: SpanIds | undefined): CaptureContext =>
  span === undefined
    ? context
    : {
        ...context,
        contexts: { trace: { trace_id: span.traceId, span_id: span.spanId }, ...context.contexts },
      }

const traceOf = ({ contexts }: CaptureContext): string | undefined => {
  const id = contexts?.["trace"]?.["trace_id"]
  return typeof id === "string" ? id : undefined
}
