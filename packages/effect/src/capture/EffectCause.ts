/** Reads the errors of Effect's `Cause`, with their origin. */
import { Cause, Context, type References } from "effect"

export interface CauseParts {
  /** The most telling one first: failures, then defects, then interruptions. */
  readonly errors: ReadonlyArray<unknown>
  /** For each error, the spans around it as lines of a stack. */
  readonly spans: ReadonlyArray<ReadonlyArray<string>>
  readonly tags: Readonly<Record<string, string>>
  readonly contexts: Readonly<Record<string, object>>
}

/** Returns the parts of a cause. Any other value is the only error of its parts. */
export const partsOf = (thrown: unknown): CauseParts => {
  if (!Cause.isCause(thrown) || thrown.reasons.length === 0) {
    return { errors: [thrown], spans: [], tags: {}, contexts: {} }
  }
  const reasons = order.flatMap((tag) => thrown.reasons.filter(({ _tag }) => _tag === tag))
  const failed = reasons.filter((reason) => !Cause.isInterruptReason(reason))
  // The siblings of a failed fiber are interrupted. This is not an error.
  const reported = failed.length > 0 ? failed : reasons
  return {
    errors: reported.map(errorOf),
    spans: reported.map((reason) => framesOf(reason).flatMap(linesOf)),
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
  spans: framesOf(reason).map(({ name }) => name),
  ...(reason._tag === "Interrupt" && reason.fiberId !== undefined ? { interrupted_by: reason.fiberId } : {}),
})

/** From the innermost to the outermost. */
const framesOf = (reason: Reason): ReadonlyArray<References.StackFrame> => {
  const frames: Array<References.StackFrame> = []
  let frame = Context.getOrUndefined(Cause.reasonAnnotations(reason), Cause.StackTrace)
  for (; frame !== undefined && frames.length < maxSpans; frame = frame.parent) frames.push(frame)
  return frames
}

const maxSpans = 50

/** A frame has the place of a span as a line of a stack. That of a definition has no news. */
const linesOf = ({ name, stack }: References.StackFrame): ReadonlyArray<string> => {
  if (name.endsWith(" (definition)")) return []
  const place = /\((.*)\)/.exec(stack() ?? "")?.[1] ?? stack()?.replace(/^\s*at /, "")
  return place === undefined ? [] : [`    at ${name.replaceAll(" (", " [")} (${place})`]
}

class Interrupted {
  readonly _tag = "Interrupted"
  readonly message: string

  constructor(by: number | undefined) {
    this.message = by === undefined ? "The fiber was interrupted" : `The fiber was interrupted by fiber ${by}`
  }
}
