/** A fresh database for the test file that asks for it. */
import { Redacted } from "effect"
import { inject } from "vitest"
import { TestDatabase } from "../../src/embedded/index.js"

export const freshDatabase = TestDatabase.make(Redacted.make(inject("databaseServer")))
