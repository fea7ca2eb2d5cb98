/**
 * Starts the server that tests of a run share: `DATABASE_URL`, or an embedded one.
 *
 * A failure fails the run: no test is left out because there is no database.
 */
import { Effect, Exit, Redacted, References, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { TestDatabase } from "../../src/embedded/index.js"

declare module "vitest" {
  interface ProvidedContext {
    /** A server on which every test file makes a database of its own, with `TestDatabase.make`. */
    readonly databaseServer: string
  }
}

export default (project: TestProject) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const close = (exit: Exit.Exit<unknown, unknown>) => Scope.close(scope, exit)
    const url = yield* TestDatabase.server.pipe(
      Scope.provide(scope),
      Effect.onError((cause) => close(Exit.failCause(cause))),
    )
    project.provide("databaseServer", Redacted.value(url))
    return () => Effect.runPromise(close(Exit.void))
  }).pipe(Effect.provideService(References.MinimumLogLevel, "Warn"), Effect.runPromise)
