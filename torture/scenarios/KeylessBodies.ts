/** Clients without a key announce large bodies, send a part, and stop. */
import { setTimeout as pause } from "node:timers/promises"
import * as Events from "../../packages/cli/test/faults/support/Events.js"
import * as Session from "../lib/Session.js"
import { head, hold } from "../lib/Sockets.js"
import * as Traffic from "../lib/Traffic.js"
import * as Verify from "../lib/Verify.js"
import type { Scenario, Setting } from "../Scenario.js"

const announced = 16 * 1024 * 1024

/** Milliseconds that an event may wait longer because of other clients at its address. */
const mostWait = 1_000

/** Two clients announce 16 MiB each and send nearly all of it. */
const run = (again: boolean) => async (setting: Setting) => {
  const { cleanup, findings, size } = setting
  const storage = await setting.storage()
  const session = await Session.open(setting, storage)
  const body = Buffer.alloc(announced - 1, 32)
  const attack = hold(
    session.node.url,
    2,
    (socket) => {
      // After a response, closes the connection and tries again.
      if (again) socket.once("data", () => socket.destroy())
      socket.write(head(`/api/${session.project.id}/envelope/`, { "Content-Length": announced }))
      socket.write(body)
    },
    cleanup,
    { again },
  )
  // Start before the honest senders: the body that arrives last does not fit.
  await pause(1_000)
  const traffic = Traffic.start(
    { url: () => session.url, source: setting.source(), connections: 5, pause: 100 },
    cleanup,
  )
  await pause(size === "short" ? 2_000 : 75_000)
  findings.count("hostile connections", attack.opened())
  findings.count("closed by the server", attack.closed())
  attack.stop()
  await pause(500)
  await traffic.stop()
  Verify.noneRefused(findings, [traffic.ledger])
  findings.set("peak MB", session.node.peakMemory())
  await Session.conclude(setting, storage, session, [traffic.ledger])
}

export const scenario: Scenario = { name: "keyless bodies", kinds: ["postgres"], run: run(true) }

/** The two clients do not reconnect. */
export const figure: Scenario = {
  name: "keyless bodies, once",
  kinds: ["postgres"],
  isFigure: true,
  run: run(false),
}

/** The header of a gzip file with an endless name, so that no output is produced. */
const gzipName = Buffer.concat([Buffer.from([31, 139, 8, 8, 0, 0, 0, 0, 0, 3]), Buffer.alloc(420_000, "x")])

/** Ten gzip bodies of 420 KB stop at different points, while small events with the DSN in their envelope arrive. */
const runNeighbors: Scenario["run"] = async (setting) => {
  const { cleanup, findings, size } = setting
  const storage = await setting.storage()
  const session = await Session.open(setting, storage)
  const { id, token } = session.project
  const keyless = `/api/${id}/envelope/`
  const dsn = `http://${token}@errors.example/${id}`
  const bodyOf = (eventId: string, index: number) => {
    const envelope = Events.envelope(eventId, index)
    return { body: JSON.stringify({ event_id: eventId, dsn }) + envelope.slice(envelope.indexOf("\n")) }
  }
  const options = { url: () => session.node.url + keyless, connections: 5, pause: 100, bodyOf }
  const before = Traffic.start({ ...options, source: setting.source() }, cleanup)
  await pause(3_000)
  await before.stop()
  let next = 0
  const attack = hold(
    session.node.url,
    10,
    (socket) => {
      const sent = [5_000, 60_000, 200_000, 419_000][next++ % 4]
      socket.once("data", () => socket.destroy())
      socket.write(head(keyless, { "Content-Length": gzipName.length, "Content-Encoding": "gzip" }))
      socket.write(gzipName.subarray(0, sent))
    },
    cleanup,
  )
  await pause(500)
  const traffic = Traffic.start({ ...options, source: setting.source() }, cleanup)
  await pause(size === "short" ? 3_000 : 30_000)
  findings.count("hostile connections", attack.opened())
  attack.stop()
  await traffic.stop()
  const [longestBefore, longest] = [before.ledger.longestWait(), traffic.ledger.longestWait()]
  findings.set("longest wait before the attack ms", longestBefore)
  findings.set("longest wait during the attack ms", longest)
  findings.check(
    longest < longestBefore + mostWait,
    () => `An event without a key waited ${longest} ms, and ${longestBefore} ms before the attack`,
  )
  Verify.noneRefused(findings, [traffic.ledger])
  findings.set("peak MB", session.node.peakMemory())
  await Session.conclude(setting, storage, session, [before.ledger, traffic.ledger])
}

export const neighbors: Scenario = { name: "keyless neighbors", kinds: ["postgres"], run: runNeighbors }
