/**
 * Starts the server that tests of a run share: `DATABASE_URL`, or an embedded one.
 *
 * A failure fails the run: no test is left out because there is no database.
 */
import { Effect, Exit, Redacted, References, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { TestDatabase } from "../../src/embedded/index.js"
import * as PostgresClient from "../../src/PostgresClient.js"

declare module "vitest" {
  interface ProvidedContext {
    /** A server on which every test file makes a database of its own, with `TestDatabase.make`. */
    readonly databaseServer: string
    /** A database on it with the whole schema, to copy: migrating an empty one takes three times as long. */
    readonly migratedDatabase: string
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
    const migrated = yield* TestDatabase.make(url).pipe(
      Effect.tap((url) => Effect.provide(PostgresClient.migrate, PostgresClient.layerMigration({ url }))),
      Scope.provide(scope),
      Effect.onError((cause) => close(Exit.failCause(cause))),
    )
    project.provide("databaseServer", Redacted.value(url))
    project.provide("migratedDatabase", Redacted.value(migrated))
    return () => Effect.runPromise(close(Exit.void))
  }).pipe(Effect.provideService(References.MinimumLogLevel, "Warn"), Effect.runPromise)
