/** New databases for tests. */
import { Redacted } from "effect"
import { inject } from "vitest"
import { TestDatabase } from "../../src/embedded/index.js"

const server = Redacted.make(inject("databaseServer"))

/** An empty database. */
export const freshDatabase = TestDatabase.make(server)

/** A database with the whole schema. */
export const migratedDatabase = TestDatabase.make(server, Redacted.make(inject("migratedDatabase")))
