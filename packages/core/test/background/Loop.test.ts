import { Effect, Exit, Scope } from "effect"
import { expect, it } from "vitest"
import * as Loop from "../../src/background/Loop.js"

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Loops that say what becomes of them. */
const watched = () => {
  const log: Array<string> = []
  const loop = (name: string) =>
    Effect.andThen(
      Effect.sync(() => log.push(`${name} runs`)),
      Effect.never,
    ).pipe(Effect.onInterrupt(() => Effect.sync(() => log.push(`${name} ends`))))
  return { log, loops: [loop("a"), loop("b")] }
}

it("loops begin in the next turn of the event loop, and end with their scope", async () => {
  const { log, loops } = watched()
  const scope = Effect.runSync(Scope.make())
  // Also where what starts them may not be interrupted.
  await Effect.runPromise(Effect.uninterruptible(Scope.provide(Loop.start(loops), scope)))
  expect(log).toEqual([])
  await nextTurn()
  expect(log).toEqual(["a runs", "b runs"])
  await Effect.runPromise(Scope.close(scope, Exit.void))
  expect(log.slice(2).sort()).toEqual(["a ends", "b ends"])
})

it("loops whose scope is closed before they began do not begin", async () => {
  const { log, loops } = watched()
  const scope = Effect.runSync(Scope.make())
  await Effect.runPromise(Scope.provide(Loop.start(loops), scope))
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await nextTurn()
  expect(log).toEqual([])
})
