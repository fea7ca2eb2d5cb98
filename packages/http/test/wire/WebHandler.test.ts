/** The wire suite on the fetch-style handler in memory. */
import { defineWireSuite } from "@errata/api/wire"
import { startHandler } from "./support/instance.js"

defineWireSuite("the wire suite on the web handler", startHandler)
