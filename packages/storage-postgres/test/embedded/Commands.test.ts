import { ChildProcess } from "node:child_process"
import { expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { vi } from "vitest"
import type { Account } from "../../src/embedded/internal/Account.js"
import { run } from "../../src/embedded/internal/Commands.js"

const ownAccount: Account = {
  description: "this one",
  ids: undefined,
  prefix: [],
  owner: undefined,
  pathOf: (folder) => folder,
}

const runNode = (script: string) => run(ownAccount, process.cwd(), process.execPath, ["-e", script])

it.live("an interrupt does not wait for a program that ends at the same time", () =>
  Effect.gen(function* () {
    let program: Fiber.Fiber<unknown> | undefined
    const { emit } = ChildProcess.prototype
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        vi.spyOn(ChildProcess.prototype, "emit").mockImplementation(function (
          this: ChildProcess,
          event,
          ...args
        ) {
          const isHeard = emit.call(this, event, ...args)
          // In the turn of the close event, before other code runs.
          if (String(event) === "close") program?.interruptUnsafe()
          return isHeard
        }),
      ),
      (spy) => Effect.sync(() => spy.mockRestore()),
    )
    program = yield* Effect.forkChild(runNode(""))
    expect(Exit.isExit(yield* Fiber.await(program))).toBe(true)
  }),
)
