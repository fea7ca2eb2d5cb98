/** Errata inside an Express application: it reports its own errors, and its other services report theirs over HTTP. */
import type { Errata } from "errata"
import express from "express"

export const makeApp = (errata: Errata) => {
  const app = express()

  // Before express.json(): Errata reads bodies itself, compressed ones of SDKs as well.
  app.use("/errors", errata.nodeHandler)
  app.use(express.json())

  app.get("/orders/:id", (request) => {
    throw new Error(`Order ${request.params.id} could not be read`)
  })

  // Express knows handlers of errors by their four parameters.
  app.use(
    (error: unknown, request: express.Request, response: express.Response, _next: express.NextFunction) => {
      // Nobody waits for it: an answer is not late because an error is reported.
      void errata.capture(error, {
        handled: false,
        transaction: `${request.method} ${request.route?.path ?? request.path}`,
        request: { url: request.originalUrl, method: request.method, headers: request.headers },
      })
      response.status(500).json({ message: "Something went wrong. We have been told." })
    },
  )
  return app
}
