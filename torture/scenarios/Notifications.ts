/**
 * Rules that apply to thousands of new groups, on two nodes, one of which is killed repeatedly. Then one error occurs
 * thousands of times, and projects have more new errors than their hourly notification limit.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { Effect } from "effect"
import * as Events from "../../packages/cli/test/faults/support/Events.js"
import * as Http from "../../packages/cli/test/faults/support/Http.js"
import { freePort } from "../../packages/cli/test/support/FreePort.js"
import * as Api from "../lib/Api.js"
import type { Cleanup } from "../lib/Cleanup.js"
import * as Node from "../lib/Node.js"
import * as Storage from "../lib/Storage.js"
import { until } from "../lib/Wait.js"
import type { Scenario } from "../Scenario.js"

const run: Scenario["run"] = async (setting) => {
  const { bin, chance, cleanup, findings, size } = setting
  const matches = size === "short" ? 400 : 10_000
  const storage = await setting.storage()
  const node = await Node.start(bin, storage.args, cleanup, await settingsOf(100_000))
  await Api.liftLimits(node)
  const project = await Api.firstProject(node)
  const receiver = await listen(cleanup)
  await addTarget(node, project, receiver.url)
  const ids = groupIds(receiver.bodies)
  const sending = sendGroups(node, project, setting.source(), matches)
  let kills = 0
  while (ids().size < matches && kills < (size === "short" ? 2 : 10)) {
    const other = await Node.start(bin, storage.args, cleanup, await settingsOf(100_000))
    const before = ids().size
    await until(
      "some notifications arrive",
      () => ids().size >= Math.min(matches, before + matches / 25),
      120_000,
    )
    await pause(chance.between(0, 300))
    await other.end("SIGKILL")
    kills++
  }
  const accepted = await sending
  await until("every group was notified about", () => ids().size >= accepted, 300_000).catch(() => {})
  findings.set("rule matches", accepted)
  findings.set("kills", kills)
  findings.check(accepted === matches, () => `Only ${accepted} of ${matches} events were accepted`)
  findings.check(ids().size === accepted, () => `${accepted - ids().size} notifications are missing`)
  await spike({ ...setting, node, project, receiver })
  await node.end("SIGTERM")
  const limits = { ...setting, database: storage.url ?? "", args: storage.args, receiver }
  await limited(limits, { name: "limited project", limit: 20, groups: 100, events: 100 })
  const events = size === "short" ? 500 : 25_000
  await limited(limits, { name: "limited project in a spike", limit: 1, groups: 50, events })
}

type Common = Parameters<Scenario["run"]>[0] & { readonly receiver: Receiver }

/** One error that occurs thousands of times causes one message. */
const spike = async ({
  findings,
  node,
  project,
  receiver,
  size,
  source,
}: Common & { readonly node: Node.Node; readonly project: Api.Project }) => {
  // Messages of a killed node are repeated when its leases expire.
  const messages = () => receiver.bodies.filter((one) => one.includes("Order spike")).length
  const events = size === "short" ? 500 : 25_000
  findings.set("spike events a second", await rush(node, project, source(), events, 1))
  await until("the spike is notified about", () => messages() > 0)
  await pause(20_000)
  findings.set("messages of the spike", messages())
  findings.set("notifications sent twice", receiver.bodies.length - groupIds(receiver.bodies)().size)
  findings.check(messages() === 1, () => "The spike caused more than one message")
}

interface Rush {
  readonly name: string
  /** Notifications per hour. */
  readonly limit: number
  readonly groups: number
  readonly events: number
}

/** Above the hourly limit, as many messages as it allows are sent, and a summary at the end of the hour. */
const limited = async (
  {
    args,
    bin,
    cleanup,
    database,
    findings,
    receiver,
    source,
  }: Common & { readonly database: string; readonly args: ReadonlyArray<string> },
  { events, groups, limit, name }: Rush,
) => {
  const node = await Node.start(bin, args, cleanup, await settingsOf(limit))
  const { body } = await Api.call(node, "POST", "/projects", { name })
  const project = JSON.parse(body) as Api.Project
  await addTarget(node, project, receiver.url)
  const before = receiver.bodies.length
  const rate = await rush(node, project, source(), events, groups)
  findings.set(`events a second of the ${name}`, rate)
  const kept = () =>
    Storage.query(database, `SELECT 1 FROM errata.deliveries WHERE project_id = ${project.id}`)
  await until("all are sent or held back", async () => (await kept()).length >= groups, 60_000)
  await until("as many arrive as the limit allows", () => receiver.bodies.length >= before + limit)
  // Ends the hour.
  await Storage.query(database, "UPDATE errata.notification_windows SET ends_at = now()")
  await until("the summary arrives", () => receiver.bodies.length > before + limit, 150_000).catch(() => {})
  await pause(2_000)
  const sent = receiver.bodies.slice(before)
  const summaries = sent.filter((one) => one.includes("held back"))
  findings.set(`messages of the ${name}`, sent.length)
  findings.check(sent.length === limit + 1, () => `${sent.length} messages instead of ${limit} and a summary`)
  findings.check(summaries.length === 1, () => `${summaries.length} summaries instead of one`)
  findings.check(
    summaries[0]?.includes(String(groups - limit)) === true,
    () => "The summary does not say how many were held back",
  )
  const code = await node.end("SIGTERM")
  findings.check(code === 0, () => `A node that was asked to stop ended with ${code}`)
}

/** Links in messages need a base URL, which a node prints instead of its port. */
const settingsOf = async (maxPerHour: number): Promise<Node.Settings> => {
  const port = await Effect.runPromise(freePort)
  return {
    ERRATA_PORT: String(port),
    ERRATA_BASE_URL: `http://127.0.0.1:${port}`,
    ERRATA_NOTIFICATIONS_MAX_PER_HOUR: String(maxPerHour),
  }
}

const addTarget = async (node: Node.Node, project: Api.Project, url: string) => {
  const { body, status } = await Api.call(node, "POST", `/projects/${project.id}/targets`, {
    kind: "ntfy",
    name: "Receiver",
    address: { url },
  })
  if (status !== 201) throw new Error(`Creating a target answered ${status}: ${body}`)
}

/** Sends one event of each new group and returns the number of accepted ones. */
const sendGroups = async (node: Node.Node, project: Api.Project, source: string, count: number) => {
  let accepted = 0
  await parallel(count, 8, async (i) => {
    const id = Events.eventId(source, i)
    const answer = await Http.send(Api.envelopeUrl(node, project), { body: envelopeOf(id, `${source}-${i}`) })
    if (answer.status === 200) accepted++
  })
  return accepted
}

/**
 * Sends events of some groups as fast as they are accepted, and returns the rate per second. Requests are prepared in
 * advance and responses are only counted, to leave CPU time to the server.
 */
const rush = async (
  node: Node.Node,
  project: Api.Project,
  source: string,
  events: number,
  groups: number,
) => {
  const { hostname, pathname, port, search } = new URL(Api.envelopeUrl(node, project))
  const requests = Array.from({ length: events }, (_, i) => {
    const body = envelopeOf(Events.eventId(source, i), groups === 1 ? "spike" : `${source}-${i % groups}`)
    const length = Buffer.byteLength(body)
    return `POST ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${length}\r\n\r\n${body}`
  })
  const client = async () => {
    const socket = connect(Number(port), hostname)
    await once(socket, "connect")
    for (let request = requests.pop(); request !== undefined; request = requests.pop()) {
      socket.write(request)
      const [answer] = (await once(socket, "data")) as [Buffer]
      if (!answer.toString("latin1").startsWith("HTTP/1.1 200 "))
        throw new Error(`An answer began with ${answer}`)
    }
    socket.destroy()
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: 64 }, client))
  return Math.round((events * 1000) / (performance.now() - began))
}

const parallel = async (count: number, workers: number, run: (index: number) => Promise<void>) => {
  let next = 0
  const work = async () => {
    while (next < count) await run(next++)
  }
  await Promise.all(Array.from({ length: workers }, work))
}

const envelopeOf = (id: string, group: string): string =>
  Events.envelopeOf(id, {
    event_id: id,
    timestamp: Date.now() / 1000,
    platform: "node",
    level: "error",
    fingerprint: [group],
    exception: { values: [{ type: "Error", value: `Order ${group} cannot be placed` }] },
  })

/** Reads the groups from the links in messages. */
const groupIds = (bodies: ReadonlyArray<string>) => {
  const known = new Set<string>()
  let read = 0
  return () => {
    for (; read < bodies.length; read++) {
      const id = /\/groups\/(\d+)/.exec(bodies[read] ?? "")?.[1]
      if (id !== undefined) known.add(id)
    }
    return known
  }
}

interface Receiver {
  readonly url: string
  /** The messages that arrived. */
  readonly bodies: ReadonlyArray<string>
}

const listen = async (cleanup: Cleanup): Promise<Receiver> => {
  const bodies: Array<string> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => {
      body += chunk
    })
    request.once("end", () => {
      bodies.push(body)
      response.writeHead(200).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  cleanup.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/errata`, bodies }
}

export const scenario: Scenario = { name: "notifications", kinds: ["postgres"], run }
