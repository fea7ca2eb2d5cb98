/** The wire suite on the command itself, with PostgreSQL. Other tests of the command use the schema errata. */
import { defineWireSuite } from "@errata/api/wire"
import { migratedDatabase } from "../../../storage-postgres/test/support/database.js"
import * as WireServer from "./support/WireServer.js"

// The database has the schema errata as well. A statement that goes there by mistake finds nothing.
defineWireSuite("the wire suite on PostgreSQL, in a schema of another name", () =>
  WireServer.start(migratedDatabase, { ERRATA_DATABASE_SCHEMA: "shop_errors" }),
)
