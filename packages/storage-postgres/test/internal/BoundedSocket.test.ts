import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import * as BoundedSocket from "../../src/internal/BoundedSocket.js"

const closing: Array<() => void> = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** Both ends of a connection whose client expects a response within `millis`. */
const connection = async (millis: number) => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const client = BoundedSocket.make(millis)()
  const accepted = once(server, "connection")
  client.connect((server.address() as { port: number }).port, "127.0.0.1")
  await once(client, "connect")
  const [database] = (await accepted) as [Socket]
  closing.push(() => {
    for (const socket of [client, database]) socket.destroy()
    server.close()
  })
  return { client, database }
}

describe("a connection to a database", () => {
  it("fails after the given time without data", async () => {
    const { client } = await connection(200)
    const [error] = await once(client, "error")
    expect(error.message).toBe("The database has not responded for 200 ms")
  })

  it("does not fail after a pause of this process", async () => {
    const { client, database } = await connection(500)
    const failures: Array<unknown> = []
    client.on("error", (error) => failures.push(error))
    const answer = once(client, "data")
    database.write("answer")
    // Blocks this process, as if the system suspended it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700)
    expect(String((await answer)[0])).toBe("answer")
    expect(failures).toEqual([])
  })
})
