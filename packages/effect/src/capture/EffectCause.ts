/** A `Cause` of Effect: the errors in it, and how each came about. */
import { Cause, Context } from "effect"

export interface CauseParts {
  /** The most telling one first: failures, then defects, then interruptions. */
  readonly errors: ReadonlyArray<unknown>
  readonly tags: Readonly<Record<string, string>>
  readonly contexts: Readonly<Record<string, object>>
}

/** Returns the parts of a cause. Any other value is the only error of its parts. */
export const partsOf = (thrown: unknown): CauseParts => {
  if (!Cause.isCause(thrown) || thrown.reasons.length === 0) {
    return { errors: [thrown], tags: {}, contexts: {} }
  }
  const reasons = order.flatMap((tag) => thrown.reasons.filter(({ _tag }) => _tag === tag))
  const errors = reasons.filter((reason) => !Cause.isInterruptReason(reason))
  return {
    // Fibers beside one that failed are interrupted. This is no error of its own.
    errors: (errors.length > 0 ? errors : reasons).map(errorOf),
    tags: { "effect.cause": names[reasons[0]!._tag] },
    contexts: { effect: { reasons: reasons.map(described) } },
  }
}

/** Returns the error of a reason. */
export const errorOf = (reason: Cause.Reason<unknown>): unknown => {
  switch (reason._tag) {
    case "Fail":
      return reason.error
    case "Die":
      return reason.defect
    case "Interrupt":
      return new Interrupted(reason.fiberId)
  }
}

// internal

type Reason = Cause.Reason<unknown>

const order = ["Fail", "Die", "Interrupt"] as const

const names: Readonly<Record<Reason["_tag"], string>> = {
  Fail: "failure",
  Die: "defect",
  Interrupt: "interruption",
}

const described = (reason: Reason) => ({
  kind: names[reason._tag],
  spans: spansOf(reason),
  ...(reason._tag === "Interrupt" && reason.fiberId !== undefined ? { interrupted_by: reason.fiberId } : {}),
})

/** From the innermost to the outermost. */
const spansOf = (reason: Reason): ReadonlyArray<string> => {
  const spans: Array<string> = []
  let frame = Context.getOrUndefined(Cause.reasonAnnotations(reason), Cause.StackTrace)
  for (; frame !== undefined && spans.length < maxSpans; frame = frame.parent) spans.push(frame.name)
  return spans
}

const maxSpans = 50

class Interrupted {
  readonly _tag = "Interrupted"
  readonly message: string

  constructor(by: number | undefined) {
    this.message = by === undefined ? "The fiber was interrupted" : `The fiber was interrupted by fiber ${by}`
  }
}
