/** A server that discards the body, to measure only the load generator and `node:http`. */
import { createServer } from "node:http"

const body = `{"id":"${"0".repeat(32)}"}`

const server = createServer((request, response) => {
  request.on("data", () => {})
  request.on("end", () => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length })
    response.end(body)
  })
})
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }))
process.on("disconnect", () => process.exit())
process.on("SIGINT", () => {})
