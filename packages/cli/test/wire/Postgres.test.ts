/** The wire suite on the command itself, with PostgreSQL. */
import { defineWireSuite } from "@errata/api/wire"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as WireServer from "./support/WireServer.js"

defineWireSuite("the wire suite on PostgreSQL", () => WireServer.start(freshDatabase))
