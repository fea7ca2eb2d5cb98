import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { createAdaptorServer } from "@hono/node-server"
import { Hono } from "hono"
import { HTTPException } from "hono/http-exception"
import { stream } from "hono/streaming"
import { describe, expect, it } from "vitest"
import { honoMiddleware } from "../../src/hono.js"
import { collecting, messageOf } from "../support/Events.js"
import { describeFramework, withStatus, work } from "../support/Frameworks.js"
import { instances } from "../support/Instances.js"

describeFramework("Hono", async (errata) => {
  const app = new Hono()
  app.use(async (context, next) => {
    try {
      await next()
    } catch (error) {
      context.res = context.json({ message: String(error) }, 500)
    }
  })
  app.use(honoMiddleware(errata))
  const orders = new Hono()
  orders.get("/:id", ({ req }) => work(errata, req.param("id")))
  orders.post("/:id", async ({ req }) => {
    await req.json().catch(() => {
      throw withStatus(400, "request aborted")
    })
    return work(errata, req.param("id"))
  })
  app.route("/orders", orders)
  app.get("/refused", () => {
    throw new HTTPException(403)
  })
  app.get("/unavailable", () => {
    throw withStatus(503, "unavailable")
  })
  app.get("/twice", async () => {
    const error = new Error("twice")
    await errata.capture(error)
    throw error
  })
  app.get("/text", async () => {
    throw "out of tea"
  })
  app.get("/stream", (context) => {
    errata.setTag("streamed", "yes")
    return stream(
      context,
      async (body) => {
        await body.write("first")
        throw new Error("stream broke")
      },
      async (error) => {
        await errata.capture(error)
      },
    )
  })
  app.onError((error, context) => {
    if (error instanceof HTTPException) return error.getResponse()
    const { status = 500 } = error as { status?: 400 | 500 | 503 }
    return context.json({ message: error.message }, status)
  })
  const server = createAdaptorServer({ fetch: app.fetch })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close()
    },
  }
})

describe("Hono", () => {
  const make = instances()

  it("does not report errors that the application handles, unless enabled", async () => {
    const { events, options } = collecting()
    const errata = await make(options)
    const appOf = (middleware: ReturnType<typeof honoMiddleware>) =>
      new Hono()
        .use(middleware)
        .get("/", () => {
          throw new Error("fine")
        })
        .onError((_error, context) => context.text("still fine", 200))
    await appOf(honoMiddleware(errata)).request("/")
    expect(events).toEqual([])
    await appOf(honoMiddleware(errata, { shouldCapture: () => true })).request("/")
    expect(events.map(messageOf)).toEqual(["fine"])
  })
})
