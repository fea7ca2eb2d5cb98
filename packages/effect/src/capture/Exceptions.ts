/** An error, its causes and the members of aggregates, as exceptions of an event. */
import { Cause } from "effect"
import type { CaptureException, Mechanism } from "./CaptureEvent.js"
import { type ErrorTitle, hasMembers, memberOf, stackOf, titleOf } from "./ErrorTitle.js"
import { isAggregate, isError } from "./ErrorValue.js"
import { type Json, plainObject } from "./PlainJson.js"
import { type Frame, framesOf } from "./StackFrames.js"

/** Errors in the order of events: the first one is last, after its causes. */
export const exceptionsOf = (
  errors: ReadonlyArray<unknown>,
  spans: ReadonlyArray<ReadonlyArray<string>>,
  handled: boolean,
  root: string,
): Array<CaptureException> =>
  exceptionChain(errors, spans, handled, root)
    .toReversed()
    .map(({ frames, ...value }) => ({ ...value, stacktrace: { frames } }))

/** Members that the application added to the error, such as `code`. */
export const membersOf = (thrown: unknown): { readonly [name: string]: Json } => {
  if (!hasMembers(thrown)) return {}
  const names = Object.keys(thrown).filter((name) => !known.has(name))
  if (names.length === 0) return {}
  return { error: plainObject(Object.fromEntries(names.map((name) => [name, memberOf(thrown, name)]))) }
}

// internal

const maxExceptions = 20

interface Described extends ErrorTitle {
  readonly frames: ReadonlyArray<Frame>
}

interface ExceptionValue extends Described {
  readonly mechanism: Mechanism
}

/** From the one that was thrown to its causes; members of an aggregate follow it. */
const exceptionChain = (
  [thrown, ...others]: ReadonlyArray<unknown>,
  spans: ReadonlyArray<ReadonlyArray<string>>,
  handled: boolean,
  root: string,
): ReadonlyArray<ExceptionValue> => {
  const values: Array<ExceptionValue> = []
  const seen = new Set<unknown>()
  const add = (
    thrown: unknown,
    parentId: number | null,
    source: string,
    around?: ReadonlyArray<string>,
  ): void => {
    const error = Cause.isCause(thrown) ? Cause.squash(thrown) : thrown
    // A cycle of causes ends at its first error.
    if (values.length >= maxExceptions || seen.has(error)) return
    if (typeof error === "object" && error !== null) seen.add(error)
    const id = values.length
    const isGroup = isAggregate(error)
    values.push({
      ...described(error, root, around),
      mechanism: {
        type: parentId === null ? "generic" : "chained",
        handled,
        exception_id: id,
        ...(parentId === null ? {} : { parent_id: parentId, source }),
        ...(isGroup ? { is_exception_group: true } : {}),
        ...(isError(error) ? {} : { synthetic: true }),
      },
    })
    if (!hasMembers(error)) return
    const cause = memberOf(error, "cause")
    if (cause !== undefined && cause !== null) add(cause, id, "cause")
    const members = isGroup ? memberOf(error, "errors") : null
    if (Array.isArray(members)) members.forEach((member, index) => add(member, id, `errors[${index}]`))
  }
  add(thrown, null, "", spans[0])
  others.forEach((other, index) => add(other, 0, `reasons[${index + 1}]`, spans[index + 1]))
  return values
}

const described = (error: unknown, root: string, around?: ReadonlyArray<string>): Described => {
  const { type, value } = titleOf(error)
  const header = value === "" ? type : `${type}: ${value}`
  return { type, value, frames: framesOf(stackOf(error), header, root, around) }
}

/** Members that every exception shows already. */
const known: ReadonlySet<string> = new Set(["cause", "errors", "message", "name", "stack"])
