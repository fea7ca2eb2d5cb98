// A program on Effect that reports to a server. The report must arrive before the program ends.
import { createServer } from "node:http"
import { Errata } from "@errata/effect"
import { Effect } from "effect"

const bodies = []
const server = createServer((request, response) => {
  let body = ""
  request.on("data", (chunk) => {
    body += chunk
  })
  request.on("end", () => {
    bodies.push(body)
    response.end("{}")
  })
})
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
const { port } = server.address()
const tracker = Errata.layer({
  dsn: `http://key@127.0.0.1:${port}/7`,
  ignoreErrors: ["unwanted"],
  beforeCapture: (event) => ({ ...event, tags: { ...event.tags, changed: "yes" } }),
})
const program = Effect.all([
  Effect.ignore(Effect.withErrorReporting(Effect.fail(new Error("unwanted")))),
  Effect.ignore(Effect.withErrorReporting(Effect.fail(new RangeError("from Effect")))),
])
await Effect.runPromise(Effect.provide(program, tracker))
server.close()
if (bodies.length !== 1 || !bodies[0].includes("from Effect") || !bodies[0].includes('"changed":"yes"')) {
  throw new Error(`The server received ${JSON.stringify(bodies)}`)
}
