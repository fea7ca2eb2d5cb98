/** A server with thousands of accepted events to record is killed a few hundred ms after each of many starts. */
import { setTimeout as pause } from "node:timers/promises"
import * as Events from "../../packages/cli/test/faults/support/Events.js"
import * as Random from "../../packages/cli/test/faults/support/Random.js"
import * as Api from "../lib/Api.js"
import * as Node from "../lib/Node.js"
import * as Session from "../lib/Session.js"
import * as Traffic from "../lib/Traffic.js"
import { until } from "../lib/Wait.js"
import type { Scenario } from "../Scenario.js"

const run: Scenario["run"] = async (setting) => {
  const { bin, chance, cleanup, findings, size } = setting
  const storage = await setting.storage()
  const starts = size === "short" ? 3 : 14
  const atMost = size === "short" ? 600 : 4_000

  // A web node leaves accepted events in the queue.
  const web = await Node.start(bin, [...storage.args, "--roles", "web"], cleanup)
  await Api.liftLimits(web)
  const url = Api.envelopeUrl(web, await Api.firstProject(web))
  const traffic = Traffic.start(
    { url: () => url, source: setting.source(), connections: 32, atMost, bodyOf },
    cleanup,
  )
  await until("all are accepted", () => traffic.ledger.accepted.size === atMost, 90_000)
  await traffic.stop()
  await web.end("SIGTERM")

  for (let start = 0; start < starts; start++) {
    const launched = Node.launch(bin, storage.args, cleanup)
    const node = await launched.ready
    if (node === null) {
      findings.check(false, () => `Start ${start + 1} of ${starts} failed: ${launched.output().slice(-500)}`)
      continue
    }
    await pause(chance.between(0, 400))
    await launched.kill()
    findings.count("kills")
    // Long enough for the killed process's leases to expire, so that each start retries the same events.
    if (size === "full") await pause(21_000)
  }
  const last = await Session.open(setting, storage)
  findings.set("recorded before the last start", last.project.reports_count)
  await Session.conclude(setting, storage, last, [traffic.ledger])
}

// Large enough that recording takes longer than a start lives.
const log = Random.text("log", 10_000)
const bodyOf = (id: string, index: number) => ({
  body: Events.envelopeOf(
    id,
    JSON.stringify({ event_id: id, message: `Order ${index % 10} is late`, extra: { log } }),
  ),
})

export const scenario: Scenario = { name: "crash loop", kinds: ["embedded", "postgres"], run }
