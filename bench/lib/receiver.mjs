/** A server that receives webhooks and notifications. It counts requests, and `answer` responds to each. */
import { createServer } from "node:http"
import { defer } from "./cleanup.mjs"

export const startReceiver = async (answer) => {
  let count = 0
  const server = createServer((request, response) => {
    request.resume()
    request.on("end", () => {
      count++
      answer(response)
    })
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  defer(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${server.address().port}/errata`, count: () => count }
}
