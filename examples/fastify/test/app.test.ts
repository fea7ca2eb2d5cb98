import { describeApp } from "../../testing/describeApp.js"
import { makeApp } from "../app.js"

describeApp("a Fastify application", async (errata) => {
  const app = makeApp(errata)
  return { url: await app.listen({ host: "127.0.0.1", port: 0 }), close: () => app.close() }
})
