/** The fields of reports, and an event that has something in all of them. */

export const listed = [
  ...["id", "group_id", "project_id", "event_id", "error_type", "error_message", "culprit", "occurred_at"],
  ...["platform", "severity", "handled", "server_name", "environment", "release_version"],
  ...[
    "sourcemap_status",
    "sourcemap_failure_code",
    "sourcemap_attempted_at",
    "web_url",
    "created_at",
    "tags",
  ],
].sort()

export const detailed = [
  ...["custom_fingerprint", "transaction_source", "updated_at", "contexts", "user", "request", "sdk"],
  ...["extras", "dependencies", "release"],
]

export const beyond = ["exceptions", "threads", "breadcrumbs", "debug_images", "ingest_truncations"]

export const full = (event_id: string) => ({
  event_id,
  level: "warning",
  platform: "node",
  environment: "production",
  release: "shop@1.2.3",
  server_name: "web-1",
  transaction: "GET /cart",
  transaction_info: { source: "route" },
  fingerprint: ["cart", "{{ default }}"],
  tags: { zone: "eu", area: "cart" },
  extra: { second: { deep: [1, null] }, first: "text" },
  contexts: { runtime: { name: "node", version: "22" }, app: { name: "shop" } },
  user: { id: "42", username: "ann", email: "ann@example.com", ip_address: "203.0.113.7", plan: "gold" },
  request: {
    url: "https://shop.example.com/cart",
    method: "POST",
    query_string: "a=1",
    data: { item: 5 },
    headers: { accept: "text/html" },
    env: { HOST: "web-1" },
  },
  sdk: { name: "sentry.javascript.node", version: "9.1.0" },
  modules: { express: "4.18.0", effect: "3.22.4" },
  breadcrumbs: { values: [{ category: "http", message: "GET /", level: "info" }] },
  exception: {
    values: [
      {
        type: "CartError",
        value: "empty cart",
        module: "cart",
        mechanism: { type: "generic", handled: false },
        stacktrace: {
          frames: [
            { filename: "node_modules/express.js", function: "handle", lineno: 1, in_app: false },
            {
              filename: "cart.js",
              function: "open",
              lineno: 7,
              colno: 3,
              in_app: true,
              context_line: "open()",
            },
          ],
        },
      },
    ],
  },
})

export const eventId = () => crypto.randomUUID().replaceAll("-", "")
