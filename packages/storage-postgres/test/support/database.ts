/** A new database for each test that needs its own. */
import { Redacted } from "effect"
import { inject } from "vitest"
import { TestDatabase } from "../../src/embedded/index.js"

const server = Redacted.make(inject("databaseServer"))

/** An empty one. */
export const freshDatabase = TestDatabase.make(server)

/** One with the whole schema. */
export const migratedDatabase = TestDatabase.make(server, Redacted.make(inject("migratedDatabase")))
