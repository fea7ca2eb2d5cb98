import { Duration, Effect } from "effect"
import { expect, it } from "vitest"
import { ProjectId } from "../../src/project/Project.js"
import { AuthorizedOrigins } from "../../src/sourcemap/AuthorizedOrigins.js"
import * as HostedCandidates from "../../src/sourcemap/HostedCandidates.js"

const script = (origin: string) => ({ path: `${origin}/app.js`, debugId: null })

const run = (authorized: ReadonlyArray<string>) => {
  const projectId = ProjectId.make(1)
  let questions = 0
  const answers = Effect.gen(function* () {
    const candidates = yield* HostedCandidates.make(Duration.minutes(1))
    const found: Array<boolean> = []
    for (let i = 0; i < 100; i++) {
      found.push(yield* candidates.mayHelp(projectId, [script(`https://h${i}.example.com`)]))
    }
    found.push(yield* candidates.mayHelp(projectId, [script("http://h7.example.com"), script("app://")]))
    return { found, isNothing: candidates.isNothing(projectId, Date.now()), questions }
  })
  return answers.pipe(
    Effect.provideService(
      AuthorizedOrigins,
      AuthorizedOrigins.make({
        inForce: () =>
          Effect.sync(() => {
            questions++
            return new Set(authorized)
          }),
        mayFetch: () => Effect.succeed(false),
        refusal: () => Effect.succeed(null),
      }),
    ),
    Effect.runPromise,
  )
}

it("asks once for a project, whatever origins its events name", async () => {
  const { found, isNothing, questions } = await run(["https://h7.example.com"])
  expect(found.flatMap((mayHelp, i) => (mayHelp ? [i] : []))).toEqual([7])
  expect([questions, isNothing]).toEqual([1, false])
})

it("knows of a project that nothing is authorised for", async () => {
  const { found, isNothing, questions } = await run([])
  expect(found).not.toContain(true)
  expect([questions, isNothing]).toEqual([1, true])
})
