/**
 * A small application with the Node SDK. `node node.mjs SCENARIO` runs a scenario. It prints a line of JSON for every
 * event or transaction with a response, and one for every request. The DSN is in `SENTRY_DSN`.
 */
import { subscribe } from "node:diagnostics_channel"
import * as Sentry from "@sentry/node"

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

const [, , scenario, associatedEventId] = process.argv

/** Maximum wait for responses, in ms. */
const patience = 60_000

Sentry.init({
  // On a busy machine the SDK's two seconds are too short.
  shutdownTimeout: patience,
  dsn: process.env.SENTRY_DSN,
  release: "shop@1.2.3",
  environment: "staging",
  serverName: "till-1",
  dist: "7",
  tracesSampleRate: 1,
  traceLifecycle: scenario === "besideTransaction" ? "static" : "stream",
  ignoreErrors: [/^Not worth telling/],
  beforeSend: (event) => (event.message === "Not to be sent" ? null : event),
})

subscribe("http.client.request.start", ({ request }) => {
  say({ kind: "request", encoding: request.getHeader("content-encoding") ?? "identity" })
})
subscribe("http.client.response.finish", ({ response }) => {
  say({ kind: "answer", status: response.statusCode })
})
Sentry.getClient().on("afterSendEvent", ({ event_id, timestamp, type = "event" }, { statusCode }) => {
  say({ kind: type, event_id, timestamp, status: statusCode })
})

class OrderError extends Error {
  name = "OrderError"
}

function readPrice(product) {
  return product.price.amount
}

function placeOrder(id) {
  try {
    return readPrice({})
  } catch (error) {
    throw new OrderError(`Order ${id} cannot be placed`, { cause: error })
  }
}

const orderError = () => {
  try {
    return placeOrder(17)
  } catch (error) {
    return error
  }
}

const scenarios = {
  exception: () => {
    Sentry.setUser({
      id: 42,
      username: "ada",
      email: "ada@example.com",
      ip_address: "192.0.2.7",
      plan: "gold",
    })
    Sentry.setTag("checkout", "express")
    Sentry.setTag("attempt", 3)
    Sentry.setContext("basket", { items: 3, currency: "EUR", codes: ["a", "b"] })
    Sentry.setExtra("note", { deep: { deeper: true }, list: [1, null, "x"] })
    Sentry.addBreadcrumb({ category: "cart", message: "added 17", level: "info", data: { product: 17 } })
    Sentry.addBreadcrumb({ type: "navigation", category: "navigation", data: { from: "/cart", to: "/pay" } })
    Sentry.captureException(orderError())
  },
  fingerprint: () =>
    Sentry.withScope((scope) => {
      scope.setFingerprint(["{{ default }}", "till-1"])
      scope.setLevel("fatal")
      scope.setTransactionName("POST /orders")
      Sentry.captureException(orderError())
    }),
  message: () => Sentry.captureMessage("The till is nearly full", "warning"),
  uncaught: () => setTimeout(() => placeOrder(18)),
  rejection: () => void Promise.reject(new RangeError("No such drawer")),
  attachment: () =>
    Sentry.withScope((scope) => {
      scope.addAttachment({ filename: "receipt.txt", data: "Total: 12.50", contentType: "text/plain" })
      scope.addAttachment({ filename: "scan.bin", data: new Uint8Array([0, 10, 13, 255, 10]) })
      Sentry.captureException(orderError())
    }),
  feedback: () => {
    Sentry.captureFeedback({
      associatedEventId,
      name: "Ada",
      email: "ada@example.com",
      message: "It broke when I paid",
    })
  },
  large: () => {
    Sentry.setExtra("log", "a line of a log\n".repeat(4_000))
    Sentry.captureException(orderError())
  },
  odd: () => {
    const circular = { name: "loop", big: 10n, fn: () => 1, at: new Date(0) }
    circular.self = circular
    Sentry.setExtra("circular", circular)
    Sentry.setExtra("bytes", Buffer.from("bytes"))
    Sentry.setExtra("weird", "nul \u0000 and half \ud83d of a pair")
    Sentry.setExtra("symbol", Symbol("till"))
    Sentry.captureException("only a string")
  },
  beside: () => {
    Sentry.startSession()
    Sentry.captureMessage("Not to be sent")
    Sentry.captureException(new Error("Not worth telling anybody"))
    Sentry.startSpan({ name: "GET /beside", op: "http.server" }, () => {
      Sentry.startSpan({ name: "select", op: "db" }, () => Sentry.captureException(orderError()))
    })
    Sentry.endSession()
  },
}

/** Each event waits for the response to the previous one. */
scenarios.oneAfterTheOther = async () => {
  for (let id = 1; id <= 4; id++) {
    Sentry.captureException(new OrderError(`Order ${id} cannot be placed`))
    await Sentry.flush(patience)
  }
}

scenarios.besideTransaction = scenarios.beside

scenarios[scenario]()
setTimeout(() => Sentry.flush(patience), 50)
