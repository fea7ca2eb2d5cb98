/** One of two nodes on a database is killed under load, and the other takes over its work. */
import { setTimeout as pause } from "node:timers/promises"
import * as Api from "../lib/Api.js"
import { middle } from "../lib/Findings.js"
import type * as Ledger from "../lib/Ledger.js"
import * as Node from "../lib/Node.js"
import * as Session from "../lib/Session.js"
import * as Traffic from "../lib/Traffic.js"
import * as Verify from "../lib/Verify.js"
import { until } from "../lib/Wait.js"
import type { Scenario } from "../Scenario.js"

const run: Scenario["run"] = async (setting) => {
  const { bin, chance, cleanup, findings, size } = setting
  const storage = await setting.storage()
  const session = await Session.open(setting, storage)
  const { node, project } = session
  const ledgers: Array<Ledger.Ledger> = []
  const times: Array<number> = []
  for (let kill = 0; kill < (size === "short" ? 1 : 5); kill++) {
    const other = await Node.start(bin, storage.args, cleanup)
    const traffic = [node, other].map((target) =>
      Traffic.start(
        { url: () => Api.envelopeUrl(target, project), source: setting.source(), connections: 16 },
        cleanup,
      ),
    )
    ledgers.push(...traffic.map(({ ledger }) => ledger))
    await until("both are loaded", () => traffic.every(({ ledger }) => ledger.accepted.size > 300))
    await pause(chance.between(200, 1500))
    const killed = performance.now()
    await other.end("SIGKILL")
    for (const each of traffic) await each.stop()
    findings.count("kills")
    const accepted = ledgers.reduce((sum, ledger) => sum + ledger.accepted.size, 0)
    const { at } = await Verify.settled(node, project, accepted)
    times.push(Math.round(at - killed))
  }
  findings.set("kill to all readable ms, middle", middle(times))
  findings.set("kill to all readable ms, each", times.join(" "))
  await Session.conclude(setting, storage, session, ledgers)
}

export const scenario: Scenario = { name: "two nodes", kinds: ["postgres"], run }
