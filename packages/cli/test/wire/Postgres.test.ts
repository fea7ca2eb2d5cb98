/** The wire suite on the command itself, with PostgreSQL. */
import { defineWireSuite } from "@errata/testing/wire"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as WireServer from "./support/WireServer.js"

defineWireSuite("the wire suite on PostgreSQL", () =>
  WireServer.start(
    Effect.map(freshDatabase, (url) => ({ args: [], env: { DATABASE_URL: Redacted.value(url) } })),
  ),
)
