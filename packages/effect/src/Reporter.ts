/** The service that the error reporter and the logger share: an error that both receive is one report. */
import { Cause, Context, ErrorReporter, type Fiber, Layer } from "effect"
import { Breadcrumbs } from "./Breadcrumbs.js"
import { errorOf } from "./capture/EffectCause.js"
import { type CaptureBreadcrumb, type CaptureContext, severities } from "./capture.js"
import { contextOf, tagsOf } from "./FiberContext.js"
import type { Message } from "./Message.js"

/** Sends a report. It must return immediately, must not throw, and must read the error or cause before it returns. */
export type Send = (thrown: unknown, context: CaptureContext) => void

/** Reports errors with the context of their fibers. */
export class Reporter extends Context.Service<
  Reporter,
  {
    /** Reports the errors of a cause that are new: neither ignored nor reported before. */
    readonly reportCause: (cause: Cause.Cause<unknown>, origin: Origin) => void
    /** Reports a text that comes without an error. */
    readonly reportMessage: (message: Message, origin: Origin) => void
    /** Adds a line to the reports that follow it in the same request, job or fiber. */
    readonly addBreadcrumb: (fiber: Fiber.Fiber<unknown, unknown>, breadcrumb: CaptureBreadcrumb) => void
  }
>()("@errata/effect/Reporter") {
  static readonly from = (send: Send): Reporter["Service"] => {
    const reported = new WeakSet<object>()
    const breadcrumbs = new Breadcrumbs()
    const report = (thrown: unknown, { context = {}, fiber }: Origin): void => {
      const known = { breadcrumbs: breadcrumbs.of(fiber), ...contextOf(fiber) }
      send(thrown, merged(known, context))
    }
    return {
      addBreadcrumb: (fiber, breadcrumb) => breadcrumbs.add(fiber, breadcrumb),
      reportMessage: report,
      reportCause: (cause, { context = {}, fiber }) => {
        const reasons = newReasons(cause, reported)
        if (reasons.every(Cause.isInterruptReason)) return
        const handled = !reasons.some(Cause.isDieReason)
        const said = merged(annotationsOf(reasons), context)
        report(Cause.fromReasons(reasons), { fiber, context: { handled, ...said } })
      },
    }
  }

  static readonly layer = (send: Send): Layer.Layer<Reporter> => Layer.succeed(this, this.from(send))
}

/** The fiber of a report, and the context that its caller adds. */
export interface Origin {
  readonly fiber: Fiber.Fiber<unknown, unknown>
  readonly context?: CaptureContext | undefined
}

// internal

type Reason = Cause.Reason<unknown>

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const merged = (known: CaptureContext, said: CaptureContext): CaptureContext => ({
  ...known,
  ...said,
  tags: { ...known.tags, ...said.tags },
  contexts: { ...known.contexts, ...said.contexts },
})

const newReasons = (cause: Cause.Cause<unknown>, reported: WeakSet<object>): ReadonlyArray<Reason> => {
  const isNew = (reason: Reason): boolean => {
    if (Cause.isInterruptReason(reason)) return true
    // Reasons are new objects in every span that they pass. Errors are not.
    const error = errorOf(reason)
    const key = isObject(error) ? error : reason
    if (reported.has(key)) return false
    reported.add(key)
    return !ErrorReporter.isIgnored(error)
  }
  return cause.reasons.filter(isNew)
}

/** The annotations of the errors of a cause. The first one decides the severity. */
const annotationsOf = (reasons: ReadonlyArray<Reason>): CaptureContext => {
  const errors = reasons.map(errorOf).filter(isObject)
  const severe = errors.find((error) => ErrorReporter.severity in error)
  const attributes = Object.assign({}, ...errors.map(ErrorReporter.getAttributes))
  return {
    ...(severe === undefined ? {} : { severity: severities[ErrorReporter.getSeverity(severe)] }),
    tags: tagsOf(attributes),
    ...(Object.keys(attributes).length === 0 ? {} : { contexts: { attributes } }),
  }
}
