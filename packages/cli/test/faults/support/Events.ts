/** Small realistic events of `@sentry/node`, with unique ids. */

/** Number of distinct errors, and so of groups. */
export const groups = 12

/** The ids of events of a source: eight hexadecimal digits that are unique in a test. */
export const eventId = (source: string, index: number): string => source + String(index).padStart(24, "0")

/** An envelope with one event of one of the groups. */
export const envelope = (id: string, index: number): string =>
  envelopeOf(id, {
    event_id: id,
    timestamp: Date.now() / 1000,
    platform: "node",
    level: "error",
    release: "shop@1.0.0",
    environment: "production",
    server_name: `web-${index % 3}`,
    transaction: "POST /orders",
    tags: { load: "yes", customer: `c${index % 7}` },
    exception: {
      values: [
        {
          type: `Error${index % groups}`,
          value: `Order ${index} cannot be placed`,
          mechanism: { type: "generic", handled: true },
          stacktrace: {
            frames: [
              { filename: "app.js", function: "main", lineno: 3, in_app: true },
              { filename: "orders.js", function: `place${index % groups}`, lineno: 41, in_app: true },
            ],
          },
        },
      ],
    },
    sdk: { name: "sentry.javascript.node", version: "10.0.0" },
  })

/** An envelope with one event. A string is sent as it is, even if it is not JSON. */
export const envelopeOf = (id: string, event: object | string): string => {
  const payload = typeof event === "string" ? event : JSON.stringify(event)
  return `{"event_id":"${id}"}\n{"type":"event","length":${Buffer.byteLength(payload)}}\n${payload}\n`
}
