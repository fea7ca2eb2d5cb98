/** Errata inside a Fastify application. */
import type { Errata } from "errata"
import { fastifyPlugin } from "errata/fastify"
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify"

/** The instance has the base URL `https://.../errors`: the path that it is mounted under here. */
export const makeApp = (errata: Errata) => {
  const app = Fastify()

  app.register(async (errors) => {
    // Errata reads bodies itself, including compressed ones from SDKs, so Fastify must not parse any.
    errors.removeAllContentTypeParsers()
    errors.addContentTypeParser("*", (_request, _body, done) => done(null))
    const toErrata = (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack()
      errata.nodeHandler(request.raw, reply.raw)
    }
    errors.all("/errors", toErrata)
    errors.all("/errors/*", toErrata)
  })

  app.register(fastifyPlugin(errata))

  app.get<{ Params: { id: string } }>("/orders/:id", async (request) => {
    errata.setTag("order", request.params.id)
    throw new Error(`Order ${request.params.id} could not be read`)
  })

  // The plugin has reported the error before this runs.
  app.setErrorHandler((_error, _request, reply) =>
    reply.status(500).send({ message: "Something went wrong. We have been told." }),
  )
  return app
}
