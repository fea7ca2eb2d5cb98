import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import Router from "@koa/router"
import Koa from "koa"
import { koaMiddleware } from "../../src/koa.js"
import { describeFramework, withStatus, work } from "../support/Frameworks.js"

describeFramework("Koa", async (errata) => {
  const app = new Koa()
  app.silent = true
  app.use(async (context, next) => {
    try {
      await next()
    } catch (error) {
      context.status = (error as { status?: number }).status ?? 500
      context.body = { message: error instanceof Error ? error.message : String(error) }
    }
  })
  app.use(koaMiddleware(errata))
  const router = new Router()
  router.get("/orders/:id", ({ params }) => work(errata, params["id"]!))
  router.post("/orders/:id", async ({ params, req }) => {
    await json(req).catch(() => {
      throw withStatus(400, "request aborted")
    })
    await work(errata, params["id"]!)
  })
  router.get("/refused", (context) => context.throw(403, "refused"))
  router.get("/unavailable", () => {
    throw withStatus(503, "unavailable")
  })
  router.get("/twice", async () => {
    const error = new Error("twice")
    await errata.capture(error)
    throw error
  })
  router.get("/text", async () => {
    throw "out of tea"
  })
  router.get("/stream", async (context) => {
    errata.setTag("streamed", "yes")
    context.respond = false
    context.res.write("first")
    await new Promise((resolve) => setImmediate(resolve))
    context.res.end()
    throw new Error("stream broke")
  })
  app.use(router.routes())
  const server = app.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
})
