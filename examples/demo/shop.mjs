/**
 * A small HTTP shop with three bugs, which reports to Errata through Sentry's SDK. Only the DSN is specific to Errata.
 */

import { createServer } from "node:http"
import * as Sentry from "@sentry/node"

Sentry.init({
  dsn: process.env.SENTRY_DSN,
  release: "shop@1.4.0",
  environment: "demo",
  serverName: "till-1",
  // Time to send the error that ends the process. The SDK's default of two seconds is too short on a busy machine.
  shutdownTimeout: 20_000,
  // Make paths relative to this folder; the location of the shop on the disk is irrelevant to readers.
  integrations: [Sentry.rewriteFramesIntegration({ root: import.meta.dirname })],
})

class PaymentError extends Error {
  name = "PaymentError"
}

const products = new Map([
  ["1", { name: "Teapot", price: { amount: 24, currency: "EUR" } }],
  ["2", { name: "Teacup", price: { amount: 6, currency: "EUR" } }],
])

// First bug: last month's newsletter still links to products that are sold out.
const showProduct = (id) => {
  const product = products.get(id)
  const { amount, currency } = product.price
  return `${product.name}: ${amount} ${currency}`
}

// Second bug: the payment provider responds with an HTML page during maintenance.
const askProvider = () => JSON.parse("<html><body>We will be back soon</body></html>")

const payOrder = (id) => {
  try {
    return askProvider().receipt
  } catch (error) {
    throw new PaymentError(`Order ${id} could not be paid`, { cause: error })
  }
}

// Third bug: JavaScript cannot parse the till's date format. It throws in a timer, where no code can catch it.
const closeDay = () => {
  const day = new Date("30.11.2026")
  return `Sales of ${day.toISOString()}`
}

const routes = [
  { method: "GET", path: /^\/products\/(\w+)$/, name: "GET /products/:id", handle: showProduct },
  {
    method: "POST",
    path: /^\/orders\/(\w+)\/payment$/,
    name: "POST /orders/:id/payment",
    handle: payOrder,
    // The customer can try again.
    level: "warning",
  },
]

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://shop")
  const route = routes.find(({ method, path }) => method === request.method && path.test(pathname))
  if (route === undefined) return response.writeHead(404).end()
  const { handle, level, name } = route
  // The SDK does this itself for the frameworks that it supports.
  Sentry.getIsolationScope().setTransactionName(name)
  Sentry.setUser({ username: request.headers["x-customer"] })
  try {
    const [, id] = route.path.exec(pathname)
    response.end(handle(id))
  } catch (error) {
    Sentry.captureException(error, { level: level ?? "error" })
    response.writeHead(500).end("Something went wrong. We have been told.")
  }
})

server.listen(0, "127.0.0.1", () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
process.on("message", (message) => message === "close the day" && setTimeout(() => closeDay()))
process.on("disconnect", () => process.exit())
