/** Debug ids, which a script shares with its source map. */
import { Effect } from "effect"
import { yieldToEventLoop } from "../internal/EventLoop.js"

/** Normalizes a UUID to lower case with hyphens, without the suffix of native formats. Null if it is not one. */
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
 * The distinct ids that snippets in a script report when it runs, at most ten. If two build tools each inserted an id,
 * the script may report another one than its uploader names.
 */
export const injectedDebugIds = (script: Uint8Array): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const found = new Set<string>()
    // A script may exceed the maximum string length, so it is searched in windows. They overlap by the longest snippet.
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
/** Matching a hostile window takes 10 ms. */
const windowBytes = 256 * 1024
const overlapBytes = 512
const maxIds = 10
