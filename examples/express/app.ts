/** Errata inside an Express application. The application reports its own errors; other services report over HTTP. */
import type { Errata } from "errata"
import { expressErrorHandler, expressMiddleware } from "errata/express"
import express from "express"

export const makeApp = (errata: Errata) => {
  const app = express()

  // Before express.json(): Errata reads bodies itself, including compressed ones from SDKs.
  app.use("/errors", errata.nodeHandler)
  app.use(expressMiddleware(errata))
  app.use(express.json())

  app.get("/orders/:id", (request) => {
    errata.setTag("order", request.params.id)
    throw new Error(`Order ${request.params.id} could not be read`)
  })

  // After the routes. It reports errors and passes them on.
  app.use(expressErrorHandler(errata))
  // Express recognizes error handlers by their four parameters.
  app.use(
    (_error: unknown, _request: express.Request, response: express.Response, _next: express.NextFunction) => {
      response.status(500).json({ message: "Something went wrong. We have been told." })
    },
  )
  return app
}
