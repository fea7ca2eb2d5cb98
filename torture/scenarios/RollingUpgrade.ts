/** Nodes of two versions share a database under load, while one replaces the other. */
import { setTimeout as pause } from "node:timers/promises"
import * as Api from "../lib/Api.js"
import * as Node from "../lib/Node.js"
import * as Session from "../lib/Session.js"
import * as Storage from "../lib/Storage.js"
import * as Traffic from "../lib/Traffic.js"
import { until } from "../lib/Wait.js"
import { NotRun, type Scenario, type Setting } from "../Scenario.js"

const run: Scenario["run"] = async (setting) => {
  const next = process.env.ERRATA_TORTURE_NEXT_BIN
  if (next === undefined) throw new NotRun("There is no build of a next version")
  await upgrade(setting, setting.bin, next)
  // An old node may start after the migration, for example after a crash.
  await upgrade(setting, next, setting.bin)
}

/** The first build starts on an empty database, and the other one joins. The first one stops, restarts and stays. */
const upgrade = async (setting: Setting, firstBin: string, otherBin: string): Promise<void> => {
  const { chance, cleanup, findings, size } = setting
  const storage = await setting.storage()
  const session = await Session.open({ ...setting, bin: firstBin }, storage)
  const { project } = session
  const targets = [session.node, session.node]
  const traffic = targets.map((_, at) =>
    Traffic.start(
      { url: () => Api.envelopeUrl(targets[at]!, project), source: setting.source(), connections: 12 },
      cleanup,
    ),
  )
  const ledgers = traffic.map(({ ledger }) => ledger)
  const accept = (what: string) => {
    const before = ledgers.map(({ accepted }) => accepted.size)
    const more = size === "short" ? 150 : 1_500
    return until(`events are accepted ${what}`, () =>
      ledgers.every(({ accepted }, at) => accepted.size > before[at]! + more),
    )
  }
  await accept("by the first node")
  const other = await Node.start(otherBin, storage.args, cleanup)
  targets[1] = other
  await accept("by nodes of both versions")
  targets[0] = other
  await pause(chance.between(0, 300))
  const code = await session.node.end("SIGTERM")
  findings.check(code === 0, () => `A node that was asked to stop ended with ${code}`)
  await accept("by the other node")
  const again = await Node.start(firstBin, storage.args, cleanup)
  targets[0] = again
  await accept("by nodes of both versions again")
  for (const each of traffic) await each.stop()
  const [row] = await Storage.query(storage.url!, "SELECT count(*)::integer AS done FROM errata.migrations")
  findings.check(row?.done === 2, () => `The database has ${row?.done} migrations`)
  findings.count("upgrades")
  await Session.conclude(setting, storage, { ...session, node: other }, ledgers, [again])
}

export const scenario: Scenario = { name: "rolling upgrade", kinds: ["postgres"], run }
