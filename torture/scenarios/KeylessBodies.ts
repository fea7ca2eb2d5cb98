/** Two strangers without a key announce 16 MiB each, send nearly all of it, and stop. */
import { setTimeout as pause } from "node:timers/promises"
import * as Session from "../lib/Session.js"
import { head, hold } from "../lib/Sockets.js"
import * as Traffic from "../lib/Traffic.js"
import * as Verify from "../lib/Verify.js"
import type { Scenario, Setting } from "../Scenario.js"

const announced = 16 * 1024 * 1024

const run = (again: boolean) => async (setting: Setting) => {
  const { cleanup, findings, size } = setting
  const storage = await setting.storage()
  const session = await Session.open(setting, storage)
  const body = Buffer.alloc(announced - 1, 32)
  const attack = hold(
    session.node.url,
    2,
    (socket) => {
      // Refused, or let go: the next try.
      if (again) socket.once("data", () => socket.destroy())
      socket.write(head(`/api/${session.project.id}/envelope/`, { "Content-Length": announced }))
      socket.write(body)
    },
    cleanup,
    { again },
  )
  // Before anybody else: whose body comes last is the one that does not fit.
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

/** The two do not come back when they are closed. */
export const figure: Scenario = {
  name: "keyless bodies, once",
  kinds: ["postgres"],
  isFigure: true,
  run: run(false),
}
