/** Six honest applications send envelopes of 8 MB, an event with eight attachments, as fast as the server responds. */
import * as Events from "../../packages/cli/test/faults/support/Events.js"
import * as Session from "../lib/Session.js"
import * as Traffic from "../lib/Traffic.js"
import * as Verify from "../lib/Verify.js"
import { until } from "../lib/Wait.js"
import type { Scenario } from "../Scenario.js"

const attachment = Buffer.alloc(1_000_000, "a large attachment ")
const item = Buffer.concat([
  Buffer.from(`{"type":"attachment","length":${attachment.length},"filename":"a.txt"}\n`),
  attachment,
  Buffer.from("\n"),
])
const items = Buffer.concat(Array.from({ length: 8 }, () => item))

const run: Scenario["run"] = async (setting) => {
  const { cleanup, findings, size } = setting
  const storage = await setting.storage()
  const session = await Session.open(setting, storage)
  const atMost = size === "short" ? 24 : 320
  const traffic = Traffic.start(
    {
      url: () => session.url,
      source: setting.source(),
      connections: 6,
      atMost,
      bodyOf: (id, index) => ({
        body: Buffer.concat([Buffer.from(Events.envelope(id, index)), items]),
      }),
    },
    cleanup,
  )
  await until("all are answered", () => total(traffic) >= atMost, 120_000)
  await traffic.stop()
  Verify.noneRefused(findings, [traffic.ledger])
  findings.set("peak MB", session.node.peakMemory())
  await Session.conclude(setting, storage, session, [traffic.ledger])
}

const total = ({ ledger }: Traffic.Traffic) => [...ledger.answers.values()].reduce((sum, n) => sum + n, 0)

export const scenario: Scenario = { name: "large envelopes", kinds: ["postgres"], run }
