/** Errata inside a Hono application, or any other that uses `Request` and `Response`. */
import type { Errata } from "errata"
import { honoMiddleware } from "errata/hono"
import { Hono } from "hono"

/** The instance has the base URL `https://.../errors`: the path that it is mounted under here. */
export const makeApp = (errata: Errata) => {
  const app = new Hono()

  app.all("/errors", ({ req }) => errata.fetch(req.raw))
  app.all("/errors/*", ({ req }) => errata.fetch(req.raw))

  app.use(honoMiddleware(errata))

  app.get("/orders/:id", ({ req }) => {
    errata.setTag("order", req.param("id"))
    throw new Error(`Order ${req.param("id")} could not be read`)
  })

  // The middleware reports the error because the response has status 500.
  app.onError((_error, context) => context.json({ message: "Something went wrong. We have been told." }, 500))
  return app
}
