/**
 * Measures deliveries per second to fast receivers: alone, and next to two bad ones. One of those never responds, one
 * responds with a byte a second. REST requests change groups all the while, faster than deliveries are made.
 */
import { createDatabase, startDatabase } from "./lib/database.mjs"
import { drain, sleep, startErrata } from "./lib/errata.mjs"
import { runErrors, startGenerator } from "./lib/load.mjs"
import { watchCpu } from "./lib/processes.mjs"
import { startReceiver } from "./lib/receiver.mjs"
import { machine, progress, publish, table } from "./lib/report.mjs"

const EVENTS = ["group.resolved", "group.unresolved"]
/** Enough of the generator's events to include each of its groups. */
const SENT = 2000
/** Deliveries that may be queued per receiver, enough to keep a node busy. */
const AHEAD = 2000

const quick = (response) => response.writeHead(204).end()
const hanging = () => {}
const dripping = (response) => {
  response.writeHead(200, { "content-length": "1000000" })
  const drip = setInterval(() => response.write("."), 1000)
  response.once("close", () => clearInterval(drip))
}

const groupIds = async (server, project) => {
  const ids = []
  let cursor = null
  do {
    const query = cursor === null ? "" : `&cursor=${cursor}`
    const page = await server.request("GET", `/projects/${project.id}/groups?status=all&limit=100${query}`)
    ids.push(...page.groups.map(({ id }) => id))
    cursor = page.next_cursor
  } while (cursor !== null)
  return ids
}

/** Resolves and reopens all groups of a project repeatedly, without getting too far ahead of the fast receivers. */
const changeGroups = (server, project, ids, receivers) => {
  let isOver = false
  let changed = 0
  const path = `/projects/${project.id}/groups/${ids[0]}/bulk_resolve`
  const ended = (async () => {
    for (let round = 0; !isOver; ) {
      if (changed - Math.min(...receivers.map(({ count }) => count())) > AHEAD) {
        await sleep(5)
        continue
      }
      await server.request(round++ % 2 === 0 ? "POST" : "DELETE", path, { group_ids: ids })
      changed += ids.length
    }
  })()
  // The caller of the returned function gets the failure. Here it must not be an unhandled rejection.
  ended.catch(() => {})
  return () => {
    isOver = true
    return ended
  }
}

/** Counts deliveries to the fast receivers over some seconds. */
const measure = async (scenario, server, receivers, { seconds, warmUp }) => {
  await sleep(warmUp * 1000)
  const before = receivers.map(({ count }) => count())
  const cpu = watchCpu(server.pid)
  const began = performance.now()
  await sleep(seconds * 1000)
  const took = (performance.now() - began) / 1000
  const counts = receivers.map(({ count }, index) => count() - before[index])
  const used = cpu.stop()
  const delivered = counts.reduce((sum, count) => sum + count, 0)
  const perDelivery = (used) => (used === null || delivered === 0 ? null : (used * 1e6) / delivered)
  return {
    scenario,
    quick_receivers: receivers.length,
    delivered_per_s: delivered / took,
    fewest_per_s: Math.min(...counts) / took,
    most_per_s: Math.max(...counts) / took,
    server_cpu_us: perDelivery(used.server),
    database_cpu_us: perDelivery(used.database),
  }
}

export const webhooks = async ({ receivers: count, options }) => {
  const database = await createDatabase((await startDatabase()).url)
  const server = await startErrata({
    storage: "postgres",
    databaseUrl: database.url,
    bin: options.bin,
    env: { ERRATA_ALLOW_PRIVATE_ADDRESSES: "true", ERRATA_ENCRYPTION_KEY: "0".repeat(64) },
  })
  const generator = await startGenerator(server, 3)
  const run = await generator.run({ count: SENT, seconds: 60, connections: options.connections })
  await drain(server, run.accepted)
  const [project] = server.projects
  const ids = await groupIds(server, project)
  const listen = async (answer) => {
    const receiver = await startReceiver(answer)
    await server.request("POST", `/projects/${project.id}/webhooks`, { url: receiver.url, events: EVENTS })
    return receiver
  }
  const receivers = []
  for (let index = 0; index < count; index++) receivers.push(await listen(quick))

  const stop = changeGroups(server, project, ids, receivers)
  progress(`${count} quick receivers`)
  const alone = await measure("quick", server, receivers, options)
  progress("one that hangs and one that drips beside them")
  const useless = [await listen(hanging), await listen(dripping)]
  const beside = await measure("quick beside a hanging and a dripping one", server, receivers, options)
  await stop()

  const rows = [alone, beside]
  const errors = [
    ...runErrors(run),
    ...(useless.some((receiver) => receiver.count() === 0) ? ["a receiver of no use was sent nothing"] : []),
  ]
  publish("webhooks", {
    made_at: new Date().toISOString(),
    machine: machine(),
    options: { ...options, bin: undefined },
    groups: ids.length,
    webhooks: rows,
    errors,
  })
  console.log(
    `${table(
      rows,
      Object.keys(alone).map((name) => [name, name]),
    )}\n`,
  )
  for (const error of errors) console.log(error)
  return errors.length === 0
}
