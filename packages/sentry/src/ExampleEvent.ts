/** A test event for users who check their setup. */
import type { Payload } from "@errata/core/ports"

/** An event that declares itself an example in its type, message, tag and environment. */
export const exampleEvent = ({
  eventId,
  receivedAt,
}: Pick<Payload, "eventId" | "receivedAt">): Pick<Payload, "kind" | "body"> => ({
  kind: "event",
  body: Buffer.from(JSON.stringify({ event_id: eventId, timestamp: receivedAt / 1_000, ...content })),
})

// internal

const content = {
  // No source map is looked for.
  platform: "other",
  level: "error",
  logger: "errata.example",
  environment: "example",
  tags: { example: "true" },
  sdk: { name: "errata.example", version: "1" },
  breadcrumbs: {
    values: [{ category: "example", level: "info", message: "Errata sends an example event on request" }],
  },
  exception: {
    values: [
      {
        type: "ExampleError",
        value: "This is an example from Errata. No application failed",
        mechanism: { type: "example", handled: true },
        stacktrace: {
          frames: [
            {
              filename: "node_modules/server/router.js",
              function: "handle",
              lineno: 118,
              colno: 14,
              in_app: false,
            },
            {
              filename: "src/checkout.js",
              function: "checkout",
              lineno: 21,
              colno: 17,
              in_app: true,
              pre_context: ["export const checkout = (cart) => {"],
              context_line: "  const sum = total(cart)",
              post_context: ["  return pay(cart.customer, sum)", "}"],
            },
            {
              filename: "src/cart.js",
              function: "total",
              lineno: 8,
              colno: 9,
              in_app: true,
              pre_context: [
                "/** An example of source lines around a frame. */",
                "export const total = (cart) => {",
              ],
              context_line: '  if (cart.items.length === 0) throw new ExampleError("an example")',
              post_context: ["  return cart.items.reduce((sum, { price }) => sum + price, 0)", "}"],
              vars: { cart: { items: [] } },
            },
          ],
        },
      },
    ],
  },
}
