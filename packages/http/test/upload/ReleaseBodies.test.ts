/** Invalid bodies of upload clients. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Bodies from "../../src/upload/ReleaseBodies.js"

const refusalOf = (body: unknown) =>
  Effect.flip(Bodies.read({ json: Effect.succeed(body) }, Bodies.ReleaseBody))

describe("a body", () => {
  it.effect("is rejected with the first issue", () =>
    Effect.gen(function* () {
      expect(yield* refusalOf({ version: "1", commits: [{ id: 1 }] })).toMatchObject({
        _tag: "BadBody",
        reason: "commits.0.id: Expected string, got 1",
      })
    }),
  )

  it.effect("is rejected with a short message for any misplaced value", () =>
    Effect.gen(function* () {
      const { reason } = yield* refusalOf({ version: { name: "x".repeat(1_000_000) } })
      expect(reason).toMatch(/^version: Expected string \| null, got \{"name":"x{100}…"\}$/)
      const depth = 100_000
      const nested: unknown = JSON.parse("[".repeat(depth) + "]".repeat(depth))
      expect(yield* refusalOf({ version: nested })).toMatchObject({
        _tag: "BadBody",
        reason: 'version: Expected string | null, got [[["…"]]]',
      })
    }),
  )
})
