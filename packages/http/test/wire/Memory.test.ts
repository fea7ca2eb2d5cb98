/** The wire suite on a listening server in memory. */
import { defineWireSuite } from "@errata/api/wire"
import { startServer } from "./support/instance.js"

defineWireSuite("the wire suite on memory", startServer)
