/** Kills the server with SIGKILL at random moments under load and restarts it, repeatedly. */
import { setTimeout as pause } from "node:timers/promises"
import type * as Ledger from "../lib/Ledger.js"
import * as Session from "../lib/Session.js"
import * as Traffic from "../lib/Traffic.js"
import { until } from "../lib/Wait.js"
import type { Scenario } from "../Scenario.js"

const run: Scenario["run"] = async (setting) => {
  const { chance, cleanup, findings, size } = setting
  const storage = await setting.storage()
  const ledgers: Array<Ledger.Ledger> = []
  for (let kill = 0; kill < (size === "short" ? 2 : 8); kill++) {
    const { node, url } = await Session.open(setting, storage)
    const traffic = Traffic.start({ url: () => url, source: setting.source(), connections: 16 }, cleanup)
    ledgers.push(traffic.ledger)
    await until("the load is under way", () => traffic.ledger.accepted.size > 50)
    await pause(chance.between(20, 1500))
    await node.end("SIGKILL")
    findings.count("kills")
    await traffic.stop()
  }
  const last = await Session.open(setting, storage)
  await Session.conclude(setting, storage, last, ledgers)
}

export const scenario: Scenario = { name: "kills", kinds: ["embedded", "postgres"], run }
