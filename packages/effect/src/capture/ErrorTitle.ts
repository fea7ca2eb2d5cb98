/** The type and the message of anything that was thrown, and safe access to its members. */
import { isError } from "./ErrorValue.js"
import { plainJson } from "./PlainJson.js"

export interface ErrorTitle {
  readonly type: string
  readonly value: string
}

/** Never throws, even if a getter does. */
export const titleOf = (error: unknown): ErrorTitle => {
  if (isError(error)) {
    const type = textOf(memberOf(error, "name") || nameOfClass(error, "Error"))
    return { type, value: textOf(memberOf(error, "message")) }
  }
  if (isTagged(error)) {
    const message = memberOf(error, "message")
    const value = typeof message === "string" ? message : JSON.stringify(plainJson(error))
    return { type: error._tag, value }
  }
  const isObject = typeof error === "object" && error !== null
  const plain = plainJson(error)
  return {
    type: isObject ? nameOfClass(error, "Object") : typeof error,
    value: typeof plain === "string" ? plain : JSON.stringify(plain),
  }
}

/** The stack of an error as V8 writes it, or empty. */
export const stackOf = (error: unknown): string => {
  const stack = isError(error) ? memberOf(error, "stack") : ""
  return typeof stack === "string" ? stack : ""
}

/** Failures of Effect need not be errors. A tag names their type. */
export const hasMembers = (error: unknown): error is object => isError(error) || isTagged(error)

/** Applications define errors: one whose getters throw is still reported. */
export const memberOf = (error: object, name: string): unknown => {
  try {
    return (error as Readonly<Record<string, unknown>>)[name]
  } catch {
    return unreadable
  }
}

// internal

const unreadable = "[unreadable]"

const isTagged = (error: unknown): error is { readonly _tag: string } =>
  typeof error === "object" && error !== null && typeof memberOf(error, "_tag") === "string"

const textOf = (value: unknown): string => {
  try {
    return String(value)
  } catch {
    return unreadable
  }
}

const nameOfClass = (error: object, otherwise: string): string => {
  const made = memberOf(error, "constructor")
  return typeof made === "function" ? made.name : otherwise
}
