/** An error of a shop as the SDK for Node sends it, with everything that the SDK adds to it by default. */

const lines = [
  "import { charge } from '../payments/gateway.js'",
  "import { reserve } from '../stock/reservations.js'",
  "import { Order } from '../models/order.js'",
  "",
  "export const checkout = async (cart, customer) => {",
  "  const order = await Order.open(cart, customer)",
  "  for (const item of cart.items) {",
  "    await reserve(order, item.sku, item.quantity)",
  "  }",
  "  const total = cart.items.reduce((sum, item) => sum + item.price * item.quantity, 0)",
  "  const receipt = await charge(customer.paymentMethod, total, order.currency)",
  "  await order.complete(receipt)",
  "  return order",
  "}",
  "",
  "export const cancel = async (order) => {",
  "  await order.release()",
  "  await order.delete()",
  "}",
]

const frame = (filename: string, name: string, lineno: number, inApp = true) => ({
  filename,
  module: filename.replace(/^.*\/|\.js$/g, ""),
  function: name,
  lineno,
  colno: 19,
  in_app: inApp,
  pre_context: lines.slice(Math.max(0, lineno - 8), lineno - 1),
  context_line: lines[lineno - 1],
  post_context: lines.slice(lineno, lineno + 7),
})

const app = "/srv/shop/src"
const modules = "/srv/shop/node_modules"

const outer = [
  frame("node:internal/process/task_queues", "process.processTicksAndRejections", 105, false),
  frame(`${modules}/express/lib/router/index.js`, "next", 280, false),
  frame(`${modules}/express/lib/router/layer.js`, "Layer.handle [as handle_request]", 95, false),
  frame(`${app}/middleware/session.js`, "withSession", 11),
  frame(`${app}/routes/checkout.js`, "post", 12),
  frame(`${app}/services/checkout.js`, "checkout", 8),
]

const exception = (type: string, value: string, frames: ReadonlyArray<object>, handled: boolean) => ({
  type,
  value,
  stacktrace: { frames },
  mechanism: { type: handled ? "generic" : "onunhandledrejection", handled },
})

export const checkoutFailure = {
  level: "error",
  platform: "node",
  environment: "production",
  release: "shop@4.12.1",
  server_name: "shop-7d9f5c6b8-x2kqz",
  transaction: "POST /checkout",
  request: { method: "POST", url: "https://shop.example.com/checkout?step=pay" },
  tags: { tenant: "acme", region: "eu-west-1", feature: "express-checkout" },
  contexts: {
    runtime: { name: "node", version: "v22.19.0" },
    app: { app_start_time: "2026-01-05T07:58:12.112Z", app_memory: 187_359_232 },
    os: { name: "Debian GNU/Linux", version: "12", kernel_version: "6.1.0-28-amd64" },
    device: { arch: "x64", memory_size: 8_322_162_688, processor_count: 4, cpu_description: "Xeon" },
    culture: { locale: "en-US", timezone: "UTC" },
    trace: { trace_id: "4f1c4e0d2b5a4c3c9d0f8a1b2c3d4e5f", span_id: "9d0f8a1b2c3d4e5f" },
  },
  extra: { cartId: "cart_8c1f", items: 3, total: 129.9 },
  exception: {
    values: [
      exception(
        "GatewayTimeout",
        "POST https://payments.example.com/v2/charges timed out after 10000 ms",
        [
          ...outer,
          frame(`${app}/services/checkout.js`, "checkout", 11),
          frame(`${app}/payments/gateway.js`, "charge", 10),
          frame(`${modules}/undici/lib/core/util.js`, "Timeout.onTimeout", 88, false),
        ],
        true,
      ),
      exception(
        "CheckoutFailed",
        "Order 41823 could not be charged",
        [
          ...outer,
          frame(`${app}/services/checkout.js`, "checkout", 11),
          {
            ...frame(`${app}/models/order.js`, "Order.fail", 6),
            vars: { order: { id: 41_823, state: "reserved" }, reason: "gateway timeout", attempt: 3 },
          },
        ],
        false,
      ),
    ],
  },
  breadcrumbs: Array.from({ length: 30 }, (_, i) => ({
    timestamp: `2026-01-05T08:14:${String(10 + i)}.482Z`,
    type: "http",
    category: i % 3 === 0 ? "console" : "http",
    level: i === 29 ? "error" : "info",
    ...(i % 3 === 0
      ? { message: `Reserved item ${i} of order 41823` }
      : { data: { method: "GET", url: `https://stock.example.com/items/${i}`, status_code: 200 } }),
  })),
}
