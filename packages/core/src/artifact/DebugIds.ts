/** Debug ids: what a script and its source map have in common, whatever they are called. */
import { Effect } from "effect"
import { yieldToEventLoop } from "../internal/EventLoop.js"

/** A UUID in lower case with hyphens, of any of its spellings; null of what is none. What native formats append is cut. */
export const normalizeDebugId = (text: string): string | null => {
  const digits = text
    .trim()
    .replace(/^\{|\}$/g, "")
    .replaceAll("-", "")
    .toLowerCase()
  if (!/^[0-9a-f]{32,40}$/.test(digits)) return null
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20, 32),
  ].join("-")
}

/**
 * The ids that snippets in a script report when it runs, each once, ten at most. Where two tools have put theirs into one
 * script it is not the one that its uploader names.
 */
export const injectedDebugIds = (script: Uint8Array): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const found = new Set<string>()
    // A script can be as long as no text may be: piece by piece, with an overlap that no snippet is longer than.
    for (let start = 0; start < script.byteLength; start += windowBytes) {
      if (start > 0) yield* yieldToEventLoop
      const text = latin1.decode(script.subarray(start, start + windowBytes + overlapBytes))
      for (const [, marked, assigned] of text.matchAll(injected)) {
        const id = normalizeDebugId(marked ?? assigned ?? "")
        if (id !== null) found.add(id)
        if (found.size === maxIds) return [...found]
      }
    }
    return [...found]
  })

// internal

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
const injected = new RegExp(
  `sentry-dbid-(${uuid})|_sentryDebugIds[^;"']{0,100}\\]\\s*=\\s*["'](${uuid})["']`,
  "gi",
)

const latin1 = new TextDecoder("latin1")
/** A hostile one takes 10 ms. */
const windowBytes = 256 * 1024
const overlapBytes = 512
const maxIds = 10
