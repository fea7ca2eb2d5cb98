/** SIGTERM while the database is silent: every request is answered, and the process ends before it would be killed. */
import { setTimeout as pause } from "node:timers/promises"
import { Effect, Exit, Redacted, Scope } from "effect"
import * as Proxy from "../../packages/cli/test/faults/support/Proxy.js"
import * as Session from "../lib/Session.js"
import * as Storage from "../lib/Storage.js"
import * as Traffic from "../lib/Traffic.js"
import { until } from "../lib/Wait.js"
import type { Scenario } from "../Scenario.js"

/** Time from SIGTERM to SIGKILL for containers, in ms. */
const grace = 10_000

const run: Scenario["run"] = async (setting) => {
  const { cleanup, findings, size } = setting
  const own = await setting.storage()
  const scope = Effect.runSync(Scope.make())
  cleanup.defer(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const proxy = await Effect.runPromise(Scope.provide(Proxy.make(Redacted.make(own.url ?? "")), scope))
  const storage = Storage.databaseStorage(Redacted.value(proxy.url))
  const ledgers = []
  for (let stop = 0; stop < (size === "short" ? 1 : 5); stop++) {
    await Effect.runPromise(proxy.open)
    const { node, url } = await Session.open(setting, storage)
    const traffic = Traffic.start({ url: () => url, source: setting.source(), connections: 16 }, cleanup)
    ledgers.push(traffic.ledger)
    await until("the load is under way", () => traffic.ledger.accepted.size > 100)
    await Effect.runPromise(proxy.silence)
    await pause(500)
    const began = performance.now()
    const code = await node.end("SIGTERM")
    const took = Math.round(performance.now() - began)
    await traffic.stop()
    const broken = traffic.ledger.answers.get("broken") ?? 0
    findings.count("stops")
    findings.most("longest stop ms", took)
    findings.check(code === 0, () => `SIGTERM ended the node with ${code}`)
    findings.check(took < grace, () => `The stop took ${took} ms`)
    findings.check(broken === 0, () => `${broken} requests were reset`)
  }
  await Effect.runPromise(proxy.open)
  await Session.conclude(setting, own, await Session.open(setting, own), ledgers)
}

export const scenario: Scenario = { name: "silent stops", kinds: ["postgres"], run }
