/**
 * Starts the server that the tests of a run share: `DATABASE_URL`, or an embedded one.
 *
 * A failure fails the run. No test is skipped for lack of a database.
 */
import { Effect, Exit, Redacted, References, Scope } from "effect"
import type { TestProject } from "vitest/node"
import { TestDatabase } from "../../src/embedded/index.js"
import * as PostgresClient from "../../src/PostgresClient.js"

declare module "vitest" {
  interface ProvidedContext {
    /** The server on which each test file creates its own database, with `TestDatabase.make`. */
    readonly databaseServer: string
    /** A migrated database to copy: migrating an empty one takes three times as long. */
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
