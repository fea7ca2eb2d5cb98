/** Made-up errors of a shop in the last week: of several kinds, with times, users and releases. */
import { randomUUID } from "node:crypto"

const hour = 3_600_000
const day = 24 * hour

/** Sends a week of errors to a DSN. Returns their number, which is the same in each run. */
export const sendHistory = async (dsn, now = Date.now()) => {
  const { host, pathname, username } = new URL(dsn)
  const url = `http://${host}/api${pathname}/envelope/`
  const events = kinds.flatMap((kind) => agesOf(kind).map((age, i) => eventOf(kind, age, now, i)))
  for (let at = 0; at < events.length; at += 20) {
    await Promise.all(
      events.slice(at, at + 20).map(async (event) => {
        const body = [{ event_id: event.event_id }, { type: "event" }, event].map((line) =>
          JSON.stringify(line),
        )
        const response = await fetch(url, {
          method: "POST",
          headers: { "x-sentry-auth": `Sentry sentry_version=7, sentry_key=${username}` },
          body: body.join("\n"),
        })
        if (!response.ok)
          throw new Error(`An event was answered ${response.status}: ${await response.text()}`)
      }),
    )
  }
  return events.length
}

/** Resolves, mutes and assigns some of the groups, and says when the releases were deployed. */
export const triageHistory = async (errata, project, now = Date.now()) => {
  await errata.deployed("shop@1.3.2", now - 6.8 * day)
  await errata.deployed("shop@1.4.0", now - releasedAt)
  const { users } = await errata.request("/users")
  const { groups } = await errata.request(`/projects/${project.id}/groups?limit=100`)
  for (const { error_type, id } of groups) {
    const path = `/projects/${project.id}/groups/${id}`
    const send = (action, method, body) =>
      errata.request(`${path}/${action}`, { method, body: JSON.stringify(body) })
    if (error_type === "ImportError") await send("resolve", "POST", {})
    if (error_type === "SlowQuery") await send("mute", "POST", {})
    if (error_type === "ConnectionError") await send("assignee", "PUT", { user_id: users[0].id })
  }
}

// internal

/** Each has `perDay` reports from `from` to `to` days ago. `burst`: hours ago, and the number of further reports within an hour. */
const kinds = [
  {
    type: "ConnectionError",
    value: "connect ECONNREFUSED 10.0.4.12:6379",
    place: ["src/cache/Sessions.js", "loadSession", 41, "const session = await redis.get(key)"],
    transaction: "GET /basket",
    users: 38,
    perDay: 6,
    from: 6,
    to: 0,
    burst: [5, 160],
  },
  {
    type: "TypeError",
    value: "Cannot read properties of null (reading 'focus')",
    place: ["src/search/SearchField.jsx", "openSearch", 18, "field.current.focus()"],
    platform: "javascript",
    transaction: "/search",
    users: 61,
    perDay: 34,
    from: 1.6,
    to: 0,
  },
  {
    type: "ValidationError",
    value: "postcode: expected 5 digits",
    place: ["src/orders/Address.js", "parseAddress", 77, "throw new ValidationError(problem)"],
    transaction: "POST /orders",
    level: "warning",
    users: 44,
    perDay: 17,
    from: 7,
    to: 0,
  },
  {
    type: "TimeoutError",
    value: "No answer from the warehouse within 5 s",
    place: ["src/stock/Warehouse.js", "countLeft", 112, "const left = await warehouse.count(article)"],
    transaction: "GET /products/:id",
    users: 27,
    perDay: 9,
    from: 7,
    to: 0,
    burst: [29, 48],
  },
  {
    type: "ChunkLoadError",
    value: "Loading chunk checkout failed",
    place: ["src/app/Routes.jsx", "loadCheckout", 23, 'import("../checkout/Checkout.jsx")'],
    platform: "javascript",
    transaction: "/checkout",
    users: 19,
    perDay: 5,
    from: 3.1,
    to: 0.1,
  },
  {
    type: "ImportError",
    value: "Line 4711: unknown tax rate '19,0'",
    place: [
      "jobs/import_prices.py",
      "read_rate",
      58,
      "raise ImportError(f'Line {line}: unknown tax rate {rate!r}')",
    ],
    platform: "python",
    transaction: "import-prices",
    users: 0,
    perDay: 2,
    from: 6.5,
    to: 3,
  },
  {
    type: "SlowQuery",
    value: "A query took 2,314 ms",
    place: ["src/database/Client.js", "measured", 35, "report(new SlowQuery(took))"],
    transaction: "GET /orders",
    level: "info",
    users: 12,
    perDay: 11,
    from: 7,
    to: 0,
  },
]

/** Ages of the reports in ms, oldest first. A sine makes nights quieter than days. */
const agesOf = ({ burst: [hoursAgo, more] = [0, 0], from, perDay, to }) => {
  const count = Math.round(perDay * (from - to))
  const usual = Array.from({ length: count }, (_, i) => {
    const days = from - ((i + 0.5) / count) * (from - to)
    return days * day + Math.sin(days * 2 * Math.PI) * 3 * hour
  })
  const burst = Array.from({ length: more }, (_, i) => hoursAgo * hour - (i / more) ** 2 * hour)
  return [...usual, ...burst].map((age) => Math.max(age, hour / 60)).sort((a, b) => b - a)
}

const eventOf = (kind, age, now, index) => {
  const { level = "error", place, platform = "node", transaction, type, users, value } = kind
  const [filename, name, lineno, context_line] = place
  return {
    event_id: randomUUID().replaceAll("-", ""),
    timestamp: new Date(now - age).toISOString(),
    platform,
    level,
    transaction,
    release: age > releasedAt ? "shop@1.3.2" : "shop@1.4.0",
    environment: "demo",
    server_name: platform === "javascript" ? undefined : `till-${1 + (index % 3)}`,
    user: users === 0 ? undefined : { id: `customer-${(index * 7) % users}` },
    exception: {
      values: [
        {
          type,
          value,
          stacktrace: { frames: [{ filename, function: name, lineno, context_line, in_app: true }] },
        },
      ],
    },
  }
}

/** Age of the release shop@1.4.0. */
const releasedAt = 1.6 * day
