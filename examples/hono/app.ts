/** Errata inside a Hono application, or any other that speaks `Request` and `Response`. */
import type { Errata } from "errata"
import { Hono } from "hono"
import { routePath } from "hono/route"

/** The instance has the base URL `https://.../errors`: the path that it is mounted under here. */
export const makeApp = (errata: Errata) => {
  const app = new Hono()

  app.all("/errors", ({ req }) => errata.fetch(req.raw))
  app.all("/errors/*", ({ req }) => errata.fetch(req.raw))

  app.get("/orders/:id", ({ req }) => {
    throw new Error(`Order ${req.param("id")} could not be read`)
  })

  app.onError((error, context) => {
    // Nobody waits for it: an answer is not late because an error is reported.
    void errata.capture(error, {
      handled: false,
      transaction: `${context.req.method} ${routePath(context)}`,
      request: { url: context.req.url, method: context.req.method, headers: context.req.header() },
    })
    return context.json({ message: "Something went wrong. We have been told." }, 500)
  })
  return app
}
