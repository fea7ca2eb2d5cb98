import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { Gate } from "../src/Gate.js"
import { nodeHandler as make, type nodeHandler } from "../src/Http.js"

describe("nodeHandler", () => {
  const servers: Array<ReturnType<typeof createServer>> = []
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })

  const serve = async (handler: ReturnType<typeof nodeHandler>) => {
    const server = createServer(handler)
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }

  it("reports why it cannot start, and answers after it has started", async () => {
    const told: Array<unknown> = []
    const broken = new Error("out of memory")
    const gate = new Gate()
    let tries = 0
    const url = await serve(
      make(
        gate,
        async () => {
          if (tries++ === 0) throw broken
          return { node: (_, response) => response.end("answered") }
        },
        (error) => told.push(error),
      ),
    )
    const first = await fetch(url)
    expect([first.status, await first.text()]).toEqual([500, expect.stringContaining("log")])
    expect(told).toEqual([broken])
    expect(await (await fetch(url)).text()).toBe("answered")
    await gate.shut(0)
    expect((await fetch(url)).status).toBe(503)
    expect(told).toEqual([broken])
  })
})
