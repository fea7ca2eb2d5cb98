/** Bounds of a JSON text, checked before it is parsed: values take far more memory than their bytes. */

import { Result } from "effect"

/** How large and how deep JSON may be. */
export interface JsonBounds {
  /** Levels of lists and objects. */
  readonly maxDepth: number
  /** Members of all lists and objects together. */
  readonly maxValues: number
}

/** For requests: the largest lists that build tools send stay below a third of it. */
export const ofRequests: JsonBounds = { maxDepth: 64, maxValues: 100_000 }

/** The bound that a text exceeds as a predicate, such as `is nested deeper than 64 levels`; null if it exceeds none. */
export const problem = (text: string, { maxDepth, maxValues }: JsonBounds): string | null => {
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = stringEnd(text, at + 1)
        break
      case openBracket:
      case openBrace:
        if (++depth > maxDepth) return `is nested deeper than ${maxDepth} levels`
        if (++values > maxValues) return `has more than ${maxValues} values`
        break
      case comma:
        if (++values > maxValues) return `has more than ${maxValues} values`
        break
      case closeBracket:
      case closeBrace:
        depth--
        break
    }
  }
  return null
}

/** The value of a text within bounds, or its problem as a predicate, such as `is not valid JSON`. */
export const parse = (text: string, bounds: JsonBounds = ofRequests): Result.Result<unknown, string> => {
  const exceeded = problem(text, bounds)
  return exceeded === null
    ? Result.try({ try: (): unknown => JSON.parse(text), catch: () => "is not valid JSON" })
    : Result.fail(exceeded)
}

// internal

const quote = 34
const comma = 44
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/** The position of the closing quote, or the end of the text. */
const stringEnd = (text: string, start: number): number => {
  let at = start
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at
}
