/** A thread processes an upload in small parts, so that others get turns. */
import { createHash } from "node:crypto"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as BundleFiles from "../../src/artifact/BundleFiles.js"
import { injectedDebugIds } from "../../src/artifact/DebugIds.js"
import { digest } from "../../src/artifact/Digest.js"
import * as UploadedContent from "../../src/artifact/UploadedContent.js"

const MiB = 1024 * 1024
const bytes = new Uint8Array(16 * MiB).fill(0x20)

/** Counts turns of the event loop meanwhile. */
const turnsOf = Effect.fnUntraced(function* (effect: Effect.Effect<unknown, unknown>) {
  let turns = 0
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  yield* Effect.ensuring(
    effect,
    Effect.sync(() => clearImmediate(next)),
  )
  return turns
})

const source = {
  size: bytes.byteLength,
  read: (at: number, n: number) => Effect.succeed(bytes.subarray(at, at + n)),
}

const file = (index: number) => ({
  type: "minified_source" as const,
  url: `~/${index}.js`,
  debugId: null,
  mapReference: null,
  size: MiB / 16,
  content: Effect.succeed(bytes.subarray(0, MiB / 16)),
})

it.live.each([
  ["hashing a content", 6, digest("sha256", bytes)],
  ["checking an upload", 3, UploadedContent.verify(source, createHash("sha1").update(bytes).digest("hex"))],
  ["looking for ids in a script", 60, injectedDebugIds(bytes)],
  [
    "keeping many files",
    100,
    BundleFiles.keep(
      { note: null, files: Array.from({ length: 100 }, (_, i) => file(i)) },
      () => Effect.void,
    ),
  ],
] as const)("%s yields to other work", ([_, least, work]) =>
  Effect.map(turnsOf(work), (turns) => expect(turns).toBeGreaterThanOrEqual(least)),
)
