/** The wire suite on the fetch-style handler in memory. */
import { defineWireSuite } from "@errata/testing/wire"
import { startHandler } from "./support/instance.js"

defineWireSuite("the wire suite on the web handler", startHandler)
