/** Events with the largest reports that the default limits allow: 1,000 frames, 100 tags, strings of 64 KB. */
import { randomUUID } from "node:crypto"
import { sleep } from "./errata.mjs"

export const LARGE = "LargeError"

const STACKS = 5
const FRAMES = 200
const TAGS = 100
/** Frames and strings together must stay below 1 MiB. */
const STRINGS = 8

const text = (length, seed) => `${seed} `.repeat(Math.ceil(length / (seed.length + 1))).slice(0, length)

const frameOf = (index) => ({
  filename: `src/orders/Module${index}.ts`,
  function: `handle${index}`,
  lineno: 10 + index,
  in_app: index % 3 === 0,
  pre_context: [`// ${index}`, "const before = orders.slice(0, index)"],
  context_line: `  const order = await this.find(${index})`,
  post_context: ["  return order", "}"],
  vars: { index, order: `order ${index}` },
})

const largeEvent = (index) => {
  const frames = Array.from({ length: FRAMES }, (_, frame) => frameOf(frame))
  const last = { ...frameOf(FRAMES), vars: { body: text(65_536, "variable") } }
  return {
    event_id: randomUUID().replaceAll("-", ""),
    timestamp: Date.now() / 1000,
    fingerprint: [`large ${index}`],
    platform: "node",
    level: "error",
    tags: Object.fromEntries(Array.from({ length: TAGS }, (_, tag) => [`key_${tag}`, `value ${index}`])),
    extra: Object.fromEntries(
      Array.from({ length: STRINGS - 2 }, (_, extra) => [`text_${extra}`, text(65_536, "extra")]),
    ),
    breadcrumbs: [{ category: "query", message: text(65_536, "breadcrumb") }],
    exception: {
      values: Array.from({ length: STACKS }, (_, stack) => ({
        type: stack === STACKS - 1 ? LARGE : "Cause",
        value: `number ${index} of exception ${stack}`,
        stacktrace: { frames: stack === STACKS - 1 ? [...frames.slice(1), last] : frames },
      })),
    },
  }
}

/** Sends events that each create a group, and waits until their reports can be read. */
export const sendLarge = async (server, project, count) => {
  for (let index = 0; index < count; index++) {
    const response = await fetch(
      `http://${server.host}:${server.port}/api/${project.id}/store/?sentry_key=${project.token}`,
      {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(largeEvent(index)),
      },
    )
    if (!response.ok) throw new Error(`A large event was refused: ${await response.text()}`)
  }
  const path = `/projects/${project.id}/groups?query=error_type:${LARGE}&limit=100`
  for (let turn = 0; turn < 300; turn++) {
    const { groups } = await server.request("GET", path)
    if (groups.length === count) return
    await sleep(100)
  }
  throw new Error("The large events were not recorded.")
}
