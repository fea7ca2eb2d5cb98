import { AsyncResource } from "node:async_hooks"
import { PassThrough } from "node:stream"
import Fastify from "fastify"
import { fastifyPlugin } from "../../src/fastify.js"
import { describeFramework, withStatus, work } from "../support/Frameworks.js"

describeFramework("Fastify", async (errata) => {
  const app = Fastify()
  // Runs its function in the asynchronous context of this place, as clients of session stores do.
  const leave = AsyncResource.bind((work: () => void) => work())
  await app.register(fastifyPlugin(errata))
  app.addHook("onRequest", (_request, _reply, done) => leave(done))
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) =>
    reply.status(error.statusCode ?? 500).send({ message: error.message ?? String(error) }),
  )
  app.register(async (orders) => {
    orders.get<{ Params: { id: string } }>("/orders/:id", ({ params }) => work(errata, params.id))
    orders.post<{ Params: { id: string } }>("/orders/:id", ({ params }) => work(errata, params.id))
  })
  app.get("/refused", async () => {
    throw withStatus(403, "refused")
  })
  app.get("/unavailable", (_request, reply) => {
    reply.send(withStatus(503, "unavailable"))
  })
  app.get("/twice", async () => {
    const error = new Error("twice")
    await errata.capture(error)
    throw error
  })
  app.get("/text", async () => {
    throw "out of tea"
  })
  app.get("/stream", async (_request, reply) => {
    errata.setTag("streamed", "yes")
    const body = new PassThrough()
    body.write("first")
    setImmediate(() => {
      const error = new Error("stream broke")
      void errata.capture(error)
      body.destroy(error)
    })
    return reply.send(body)
  })
  return { url: await app.listen({ host: "127.0.0.1", port: 0 }), close: () => app.close() }
})
