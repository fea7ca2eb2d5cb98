/** Errata inside an Express application: it reports its own errors, and its other services report theirs over HTTP. */
import type { Errata } from "errata"
import { expressErrorHandler, expressMiddleware } from "errata/express"
import express from "express"

export const makeApp = (errata: Errata) => {
  const app = express()

  // Before express.json(): Errata reads bodies itself, compressed ones of SDKs as well.
  app.use("/errors", errata.nodeHandler)
  app.use(expressMiddleware(errata))
  app.use(express.json())

  app.get("/orders/:id", (request) => {
    errata.setTag("order", request.params.id)
    throw new Error(`Order ${request.params.id} could not be read`)
  })

  // After the routes. It reports errors and passes them on.
  app.use(expressErrorHandler(errata))
  // Express knows handlers of errors by their four parameters.
  app.use(
    (_error: unknown, _request: express.Request, response: express.Response, _next: express.NextFunction) => {
      response.status(500).json({ message: "Something went wrong. We have been told." })
    },
  )
  return app
}
