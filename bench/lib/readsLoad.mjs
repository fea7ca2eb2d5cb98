/**
 * Sends events for the groups of a seeded project at a steady rate, in a process of its own. Half of them belong to a
 * few hundred groups, the rest to any group; one in a hundred starts a new group.
 *
 * Messages in: `start`, then `stop`, answered by the counts of sent events.
 */
import { randomUUID } from "node:crypto"
import { Agent, request } from "node:http"
import { seeded } from "./random.mjs"
import { fingerprintOf, USERS } from "./readsSeed.mjs"

const TICK = 10
const random = seeded(7)
const agent = new Agent({ keepAlive: true, maxSockets: 32 })
const HOT = 500

const frames = Array.from({ length: 20 }, (_, index) => ({
  filename: `src/orders/Module${index}.ts`,
  function: `handle${index}`,
  lineno: 10 + index,
  in_app: index % 3 === 0,
}))

const event = (groups) => {
  const kind = random.below(100)
  const group =
    kind === 0
      ? groups + random.below(1e7)
      : kind < 50
        ? (random.below(HOT) * 199) % groups
        : random.below(groups)
  return {
    event_id: randomUUID().replaceAll("-", ""),
    timestamp: Date.now() / 1000,
    fingerprint: [fingerprintOf(group)],
    exception: {
      values: [{ type: "TimeoutError", value: `timeout of ${group} ms exceeded`, stacktrace: { frames } }],
    },
    level: "error",
    platform: "node",
    server_name: `web-${random.below(50) + 1}`,
    environment: random.below(5) === 0 ? "staging" : "production",
    release: "shop@3.150.0",
    tags: {
      user_id: `u${String(random.below(USERS)).padStart(7, "0")}`,
      url: `/orders/${random.below(4)}`,
      browser: "Chrome 131.0",
      os: "Windows 11",
      plan: random.below(10) === 0 ? "gold" : "free",
    },
    breadcrumbs: [{ category: "query", message: "select 1" }],
  }
}

const run = ({ host, port, project, groups, rate }) => {
  const counts = { sent: 0, accepted: 0, refused: 0 }
  const send = () => {
    counts.sent++
    const body = JSON.stringify(event(groups))
    const post = request(
      {
        host,
        port,
        agent,
        method: "POST",
        path: `/api/${project.id}/store/?sentry_key=${project.token}`,
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      },
      (response) => {
        response.resume()
        if (response.statusCode === 200) counts.accepted++
        else counts.refused++
      },
    )
    post.on("error", () => counts.refused++)
    post.end(body)
  }
  const began = performance.now()
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1000) * rate
    while (counts.sent < due) send()
  }, TICK)
  return () => {
    clearInterval(timer)
    return { ...counts, seconds: (performance.now() - began) / 1000 }
  }
}

let stop
process.on("message", (message) => {
  if (message.kind === "start") {
    stop = run(message)
    process.send({ started: true })
  } else process.send(stop())
})
process.on("disconnect", () => process.exit())
process.on("SIGINT", () => {})
