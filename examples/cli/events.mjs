/** Events of a shop, as Sentry's SDKs send them. */

const shop = {
  platform: "node",
  release: "shop@1.4.0",
  environment: "production",
  server_name: "till-1",
  sdk: { name: "sentry.javascript.node", version: "10.0.0" },
}

const frame = (name, file, line, source) => ({
  filename: file,
  function: name,
  lineno: line,
  colno: 9,
  in_app: file.startsWith("src/"),
  context_line: source,
})

const emit = frame("emit", "node:events", 519, "  return handler.apply(this, args)")

const product = {
  ...shop,
  transaction: "GET /products/:id",
  exception: {
    values: [
      {
        type: "TypeError",
        value: "Cannot read properties of undefined (reading 'price')",
        stacktrace: {
          frames: [emit, frame("showProduct", "src/products.js", 27, "  const { amount } = product.price")],
        },
      },
    ],
  },
}

const payment = {
  ...shop,
  level: "fatal",
  transaction: "POST /orders/:id/payment",
  user: { username: "ada" },
  request: { method: "POST", url: "https://shop.example.com/orders/1001/payment" },
  tags: { till: "1" },
  breadcrumbs: [
    { timestamp: "2026-01-02T03:04:01Z", category: "http", level: "info", message: "POST /orders" },
    { timestamp: "2026-01-02T03:04:03Z", category: "provider", level: "warning", message: "answered HTML" },
  ],
  exception: {
    values: [
      {
        type: "SyntaxError",
        value: "Unexpected token '<', \"<html>\" is not valid JSON",
        stacktrace: {
          frames: [
            frame("askProvider", "src/payment.js", 12, "  return JSON.parse(answer)"),
            frame("JSON.parse", "node:json", 1, ""),
          ],
        },
      },
      {
        type: "PaymentError",
        value: "Order 1001 could not be paid",
        stacktrace: {
          frames: [
            emit,
            frame("pay", "src/payment.js", 31, "    throw new PaymentError(order, { cause: error })"),
          ],
        },
      },
    ],
  },
}

const closing = {
  ...shop,
  environment: "staging",
  exception: {
    values: [
      {
        type: "RangeError",
        value: "Invalid time value",
        stacktrace: { frames: [frame("closeDay", "src/till.js", 8, "  return day.toISOString()")] },
      },
    ],
  },
}

const eventId = (n) => String(n).repeat(32)

export const events = [
  { ...product, event_id: eventId(1) },
  { ...payment, event_id: eventId(2) },
  { ...payment, event_id: eventId(3) },
  { ...closing, event_id: eventId(4) },
  { ...product, event_id: eventId(5) },
]
