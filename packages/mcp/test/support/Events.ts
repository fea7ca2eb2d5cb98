/** An error as an SDK sends it. Each type has its own group. */
export const failure = (type: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  level: "error",
  platform: "node",
  fingerprint: [type],
  exception: {
    values: [
      {
        type,
        value: `${type} happened`,
        stacktrace: {
          frames: [
            { filename: "node:internal/main.js", function: "main", lineno: 1, in_app: false },
            {
              filename: "src/cart.js",
              function: "total",
              lineno: 12,
              colno: 31,
              in_app: true,
              pre_context: ["const total = (items) =>"],
              context_line: "  items.price * items.count",
              vars: { items: null },
            },
          ],
        },
      },
    ],
  },
  breadcrumbs: [{ category: "http", message: "GET /cart" }],
  ...more,
})
