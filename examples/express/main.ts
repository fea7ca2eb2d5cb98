import { dashboard } from "@errata/dashboard"
import { createErrata } from "errata"
import { embedded } from "errata/embedded"
import { makeApp } from "./app.js"

const errata = await createErrata({
  storage: embedded({ dir: ".errata" }),
  baseUrl: "http://127.0.0.1:3000/errors",
  dashboard,
})
const server = makeApp(errata).listen(3000, "127.0.0.1", () => {
  process.stdout.write(`Other services report to ${errata.dsn()}\n`)
})

// Close the server first, so that errors of open requests are reported before the storage closes.
process.once("SIGTERM", () => server.close(() => void errata.close()))
