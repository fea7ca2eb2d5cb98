import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { createAdaptorServer } from "@hono/node-server"
import { describeApp } from "../../testing/describeApp.js"
import { makeApp } from "../app.js"

describeApp("a Hono application", async (errata) => {
  const server = createAdaptorServer({ fetch: makeApp(errata).fetch })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close()
    },
  }
})
