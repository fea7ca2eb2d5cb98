/** A local server that records notifications. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Json } from "./Json.js"

export interface Receiver {
  /** URL of one target. Its path is a secret. */
  readonly url: string
  /** The bodies in order of arrival, parsed if they are JSON. */
  readonly received: ReadonlyArray<Json>
}

/** Runs a function with a receiver that responds with a status, and stops the receiver. */
export const use = async <A>(
  secret: string,
  work: (receiver: Receiver) => Promise<A>,
  status = 200,
): Promise<A> => {
  const received: Array<Json> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => {
      body += chunk
    })
    request.on("end", () => {
      received.push(JSON.parse(body))
      response.writeHead(status, { "content-type": "application/json" }).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  try {
    return await work({ url: `http://127.0.0.1:${port}/${secret}`, received })
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}
