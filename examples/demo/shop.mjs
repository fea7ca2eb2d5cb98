/**
 * A small shop on HTTP with three bugs, which tells Errata of them through Sentry's SDK. All that is special to Errata
 * is the DSN.
 */

import { createServer } from "node:http"
import * as Sentry from "@sentry/node"

Sentry.init({
  dsn: process.env.SENTRY_DSN,
  release: "shop@1.4.0",
  environment: "demo",
  serverName: "till-1",
  // How long the error that ends the process may take to be sent; the SDK's own two seconds are few on a busy machine.
  shutdownTimeout: 20_000,
  // Paths from this folder on: where the shop is on the disk does not matter to readers of its errors.
  integrations: [Sentry.rewriteFramesIntegration({ root: import.meta.dirname })],
})

class PaymentError extends Error {
  name = "PaymentError"
}

const products = new Map([
  ["1", { name: "Teapot", price: { amount: 24, currency: "EUR" } }],
  ["2", { name: "Teacup", price: { amount: 6, currency: "EUR" } }],
])

// The first bug: links to products that are sold out still stand in last month's newsletter.
const showProduct = (id) => {
  const product = products.get(id)
  const { amount, currency } = product.price
  return `${product.name}: ${amount} ${currency}`
}

// The second: the payment provider answers with a page of HTML while it is being repaired.
const askProvider = () => JSON.parse("<html><body>We will be back soon</body></html>")

const payOrder = (id) => {
  try {
    return askProvider().receipt
  } catch (error) {
    throw new PaymentError(`Order ${id} could not be paid`, { cause: error })
  }
}

// The third: a date as the till writes it is none to JavaScript. It happens in a timer, where nothing can catch it.
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
  // Frameworks that the SDK knows do this for their routes.
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
