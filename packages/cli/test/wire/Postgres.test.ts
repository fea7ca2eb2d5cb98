/** The wire suite against the command with PostgreSQL. Other tests of the command use the schema errata. */
import { defineWireSuite } from "@errata/api/wire"
import { Effect, Redacted } from "effect"
import { migratedDatabase } from "../../../storage-postgres/test/support/database.js"
import * as WireServer from "./support/WireServer.js"

// The database also has the schema errata, but it is empty: a statement that uses it by mistake finds nothing.
defineWireSuite("the wire suite on PostgreSQL, in a schema of another name", () =>
  WireServer.start(
    Effect.map(migratedDatabase, (url) => ({
      DATABASE_URL: Redacted.value(url),
      ERRATA_DATABASE_SCHEMA: "shop_errors",
    })),
  ),
)
