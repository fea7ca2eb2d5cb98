import { ProjectId } from "@errata/core"
import type { HostedAnswer } from "@errata/core/ports"
import { Duration, Effect } from "effect"
import { expect, it } from "vitest"
import { AuthorizedOrigins } from "../src/hosted/AuthorizedOrigins.js"
import * as HostedCandidates from "../src/hosted/HostedCandidates.js"

const script = (origin: string) => ({ path: `${origin}/app.js`, debugId: null })

const run = (authorized: ReadonlyArray<string>, isEnabled = true) => {
  const projectId = ProjectId.make(1)
  let questions = 0
  const answers = Effect.gen(function* () {
    const candidates = yield* HostedCandidates.make(Duration.minutes(1))
    const found: Array<HostedAnswer> = []
    for (let i = 0; i < 100; i++) {
      found.push(yield* candidates.ask(projectId, [script(`https://h${i}.example.com`)]))
    }
    found.push(yield* candidates.ask(projectId, [script("http://h7.example.com"), script("app://")]))
    return { found, isNothing: candidates.isNothing(projectId, Date.now()), questions }
  })
  return answers.pipe(
    Effect.provideService(
      AuthorizedOrigins,
      AuthorizedOrigins.of({
        inForce: () =>
          Effect.sync(() => {
            questions++
            return { isEnabled, origins: new Set(authorized) }
          }),
        refusal: () => Effect.succeed(null),
      }),
    ),
    Effect.runPromise,
  )
}

it("queries once per project, for any origins in its events", async () => {
  const { found, isNothing, questions } = await run(["https://h7.example.com"])
  expect(found.flatMap((answer, i) => (answer === "may_help" ? [i] : []))).toEqual([7])
  expect(found[6]).toBe("origin_not_authorized")
  expect(found.at(-1)).toBeNull()
  expect([questions, isNothing]).toEqual([1, false])
})

it("detects a project without authorized origins", async () => {
  const { found, isNothing, questions } = await run([])
  expect(new Set(found)).toEqual(new Set([null]))
  expect([questions, isNothing]).toEqual([1, true])
})

it("reports an authorized origin while fetching is disabled", async () => {
  const { found } = await run(["https://h7.example.com"], false)
  expect(found[7]).toBe("hosted_fetching_disabled")
  expect(found[6]).toBe("origin_not_authorized")
})
