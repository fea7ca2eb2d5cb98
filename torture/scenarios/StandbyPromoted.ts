/** The primary of two nodes is killed under load, and its synchronous standby is promoted. */
import { setTimeout as pause } from "node:timers/promises"
import { Effect, Exit, Redacted, Scope } from "effect"
import * as Replicated from "../../packages/storage-postgres/test/support/replicated.js"
import * as Api from "../lib/Api.js"
import { middle } from "../lib/Findings.js"
import type * as Ledger from "../lib/Ledger.js"
import * as Node from "../lib/Node.js"
import * as Session from "../lib/Session.js"
import * as Storage from "../lib/Storage.js"
import * as Traffic from "../lib/Traffic.js"
import { until } from "../lib/Wait.js"
import type { Scenario, Setting } from "../Scenario.js"

const run: Scenario["run"] = async (setting) => {
  const { findings, size } = setting
  const times: Array<number> = []
  for (let kill = 0; kill < (size === "short" ? 1 : 3); kill++) times.push(await once(setting))
  findings.set("promotion to accepted ms, middle", middle(times))
  findings.set("promotion to accepted ms, each", times.join(" "))
}

/** Returns the milliseconds from the promotion until both nodes accept events again. */
const once = async (setting: Setting): Promise<number> => {
  const { bin, chance, cleanup, findings } = setting
  const scope = Effect.runSync(Scope.make())
  const end = cleanup.defer(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const database = await Effect.runPromise(Scope.provide(Replicated.make, scope))
  const storage = Storage.databaseStorage(Redacted.value(database.url))
  const session = await Session.open(setting, storage)
  const { project } = session
  const other = await Node.start(bin, storage.args, cleanup)
  const traffic = [session.node, other].map((target) =>
    Traffic.start(
      { url: () => Api.envelopeUrl(target, project), source: setting.source(), connections: 12 },
      cleanup,
    ),
  )
  const ledgers: ReadonlyArray<Ledger.Ledger> = traffic.map(({ ledger }) => ledger)
  const accept = (what: string) => {
    const before = ledgers.map(({ accepted }) => accepted.size)
    return until(`both nodes accept ${what}`, () =>
      ledgers.every(({ accepted }, at) => accepted.size > before[at]! + 20),
    )
  }
  await accept("before")
  await pause(chance.between(200, 2_000))
  await Effect.runPromise(database.killFirst)
  findings.count("kills")
  await pause(chance.between(0, 1_500))
  await Effect.runPromise(database.promoteSecond)
  const promoted = performance.now()
  await accept("after the promotion")
  const time = Math.round(performance.now() - promoted)
  // The old primary returns as a read-only server while the load continues.
  await Effect.runPromise(database.startFirstReadOnly)
  await accept("although the old primary is back")
  for (const each of traffic) await each.stop()
  for (const [answered, times] of ledgers.flatMap(({ answers }) => [...answers])) {
    findings.check(
      answered === 200 || answered === 503,
      () => `${times} senders were answered ${answered} while the database was away`,
    )
  }
  findings.check(session.node.running() && other.running(), () => "A node ended")
  await Session.conclude(setting, storage, session, ledgers, [other])
  await end()
  return time
}

export const scenario: Scenario = { name: "standby promoted", kinds: ["postgres"], run }
