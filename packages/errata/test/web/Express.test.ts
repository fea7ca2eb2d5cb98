import { AsyncResource } from "node:async_hooks"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import express from "express"
import { afterEach, describe, expect, it } from "vitest"
import { expressErrorHandler, expressMiddleware } from "../../src/express.js"
import type { Errata } from "../../src/index.js"
import { collecting, messageOf } from "../support/Events.js"
import { describeFramework, type Served, withStatus, work } from "../support/Frameworks.js"
import { instances } from "../support/Instances.js"

const listen = async (app: express.Express): Promise<Served> => {
  const server = app.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const answerErrors: express.ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) next(error)
  else response.status(error.status ?? 500).json({ message: error.message ?? String(error) })
}

describeFramework("Express", async (errata) => {
  const app = express()
  app.use(expressMiddleware(errata))
  app.use(express.json())
  const orders = express.Router()
  orders.get("/:id", (request) => work(errata, request.params.id))
  orders.post("/:id", (request) => work(errata, request.params.id))
  app.use("/orders", orders)
  app.get("/refused", () => {
    throw withStatus(403, "refused")
  })
  app.get("/unavailable", (_request, _response, next) => next(withStatus(503, "unavailable")))
  app.get("/twice", async () => {
    const error = new Error("twice")
    await errata.capture(error)
    throw error
  })
  app.get("/text", async () => {
    throw "out of tea"
  })
  app.get("/stream", async (_request, response) => {
    errata.setTag("streamed", "yes")
    response.write("first")
    await new Promise((resolve) => setImmediate(resolve))
    throw new Error("stream broke")
  })
  app.use(expressErrorHandler(errata))
  app.use(answerErrors)
  return listen(app)
})

describe("Express", () => {
  const make = instances()
  const open: Array<Served> = []
  afterEach(async () => {
    for (const served of open.splice(0)) await served.close()
  })
  const serve = async (build: (app: express.Express, errata: Errata) => void) => {
    const { events, options } = collecting()
    const errata = await make(options)
    const app = express()
    build(app, errata)
    app.use(answerErrors)
    const served = await listen(app)
    open.push(served)
    return { events, url: served.url }
  }

  it("reports without the middleware, and includes the body if enabled", async () => {
    const { events, url } = await serve((app, errata) => {
      app.use(express.json())
      app.post("/tea", () => {
        throw new Error("cold")
      })
      app.use(expressErrorHandler(errata, { body: true }))
    })
    await fetch(`${url}/tea`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"cups":2}',
    })
    expect(events).toMatchObject([{ transaction: "POST /tea", request: { data: { cups: 2 } } }])
  })

  it("uses the status of the response, or the application's own rule", async () => {
    const { events, url } = await serve((app, errata) => {
      app.get("/bad", (_request, response) => {
        response.status(400)
        throw new Error("bad")
      })
      app.use("/own", (_request, _response, next) => next(withStatus(404, "own")))
      app.use(
        "/own",
        expressErrorHandler(errata, { shouldCapture: (error) => (error as Error).message === "own" }),
      )
      app.use(expressErrorHandler(errata))
    })
    await fetch(`${url}/bad`)
    await fetch(`${url}/own`)
    expect(events.map(messageOf)).toEqual(["own"])
  })

  it("restores the scope of a request after a parser has lost the context", async () => {
    const { events, url } = await serve((app, errata) => {
      app.use(expressMiddleware(errata))
      app.use((_request, _response, next) => {
        errata.setUser({ id: 1 })
        next()
      })
      // Runs its function in the asynchronous context of this place, as events of a connection do.
      const leave = AsyncResource.bind((work: () => void) => work())
      app.use((_request, _response, next) => leave(() => next()))
      app.post("/lost", () => {
        errata.setTag("in", "lost")
        throw new Error("lost")
      })
      app.use(expressMiddleware(errata))
      app.post("/again", () => {
        errata.setTag("in", "again")
        throw new Error("again")
      })
      app.use(expressErrorHandler(errata))
    })
    for (const path of ["/lost", "/again"]) await fetch(`${url}${path}`, { method: "POST" })
    expect(events.map(({ tags, user }) => [tags, user])).toEqual([
      [{}, { id: 1 }],
      [{ in: "again" }, { id: 1 }],
    ])
  })

  it("names routes of nested routers, and routes without a simple path", async () => {
    const { events, url } = await serve((app, errata) => {
      const fail = () => {
        throw new Error("x")
      }
      const inner = express.Router().get("/items/:item", fail).get("/", fail)
      app.use("/shops/main", express.Router().use("/orders", inner))
      app.get("/files/*path", fail)
      app.get(/^\/pattern/, fail)
      app.get("/", fail)
      app.use("/middleware", fail)
      app.use(expressErrorHandler(errata))
    })
    for (const path of [
      "/shops/main/orders/items/7",
      "/shops/main/orders/",
      "/files/a/b",
      "/pattern",
      "/",
      "/middleware/a",
    ]) {
      await fetch(`${url}${path}?a=b`)
    }
    expect(events.map(({ transaction }) => transaction)).toEqual([
      "GET /shops/main/orders/items/:item",
      "GET /shops/main/orders",
      "GET /files/*path",
      "GET /pattern",
      "GET /",
      "GET /middleware/a",
    ])
  })
})
