// Node 20.19 and later require modules as well.
const { createErrataClient } = require("@errata/api/promise")

const client = createErrataClient({ baseUrl: "http://127.0.0.1:4000", apiKey: "errata_none" })
const { createErrata, memory } = require("errata")
if (typeof createErrata !== "function" || memory().name !== "memory") throw new Error("The door is shut")
if (typeof client.groups.list !== "function") throw new Error("The client has no lists")
