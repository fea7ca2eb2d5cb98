/** SIGTERM under load: small events on keep-alive connections, and uploads in progress. */
import { type ClientRequest, request } from "node:http"
import { setTimeout as pause } from "node:timers/promises"
import * as Events from "../../packages/cli/test/faults/support/Events.js"
import * as Api from "../lib/Api.js"
import type { Cleanup } from "../lib/Cleanup.js"
import * as Ledger from "../lib/Ledger.js"
import * as Session from "../lib/Session.js"
import * as Traffic from "../lib/Traffic.js"
import * as Verify from "../lib/Verify.js"
import { until } from "../lib/Wait.js"
import type { Scenario } from "../Scenario.js"

const uploads = 8
const bytes = 600_000

const run: Scenario["run"] = async (setting) => {
  const { cleanup, findings, size } = setting
  const storage = await setting.storage()
  const ledgers: Array<Ledger.Ledger> = []
  for (let stop = 0; stop < (size === "short" ? 1 : 5); stop++) {
    const { node, url } = await Session.open(setting, storage)
    const traffic = Traffic.start({ url: () => url, source: setting.source(), connections: 24 }, cleanup)
    const slow = Ledger.make()
    ledgers.push(traffic.ledger, slow)
    await until("the load is under way", () => traffic.ledger.accepted.size > 300)
    const source = setting.source()
    const sending = Array.from({ length: uploads }, (_, index) =>
      upload(url, Events.eventId(source, index), index, 1500 + index * 250, slow, cleanup),
    )
    await pause(setting.chance.between(300, 700))
    const before = total(traffic.ledger)
    const began = performance.now()
    const ended = node.end("SIGTERM")
    await Promise.all(sending)
    const code = await ended
    findings.most("longest stop ms", Math.round(performance.now() - began))
    await traffic.stop()
    findings.count("stops")
    findings.check(code === 0, () => `SIGTERM ended the node with ${code}`)
    const cut = uploads - slow.accepted.size
    findings.count("uploads on their way", uploads)
    findings.count("uploads cut", cut)
    findings.check(
      cut === 0,
      () => `${cut} of ${uploads} uploads on their way were not taken: ${describe(slow)}`,
    )
    const { answers } = traffic.ledger
    findings.count("requests after SIGTERM", total(traffic.ledger) - before - (answers.get("refused") ?? 0))
    findings.check(
      (answers.get(503) ?? 0) === 0,
      () => `${answers.get(503)} requests were refused with 503 although the database was there`,
    )
  }
  const last = await Session.open(setting, storage)
  const accepted = ledgers.reduce((sum, ledger) => sum + ledger.accepted.size, 0)
  await Verify.settled(last.node, last.project, accepted)
  // A sender without its 200 would repeat a stored event. A reset before the request was read is safe.
  const { reports_count: stored } = await Api.firstProject(last.node)
  findings.check(
    stored === accepted,
    () => `${stored} events are stored and ${accepted} were answered with 200`,
  )
  await Session.conclude(setting, storage, last, ledgers)
}

/** Sends an event in pieces over some time and records the response. */
const upload = (
  url: string,
  id: string,
  index: number,
  millis: number,
  ledger: Ledger.Ledger,
  cleanup: Cleanup,
): Promise<void> => {
  const event = JSON.stringify({
    event_id: id,
    message: `upload ${index}`,
    extra: { log: "x".repeat(bytes) },
  })
  const body = Buffer.from(Events.envelopeOf(id, event))
  const pieces = 20
  ledger.send(id)
  return new Promise((resolve) => {
    const outgoing: ClientRequest = request(url, {
      method: "POST",
      agent: false,
      headers: { "content-length": body.length },
    })
    let settled = false
    const answer = (answered: Ledger.Answered, retryAfter?: string) => {
      if (settled) return
      settled = true
      ledger.answer(id, answered, retryAfter)
      resolve()
    }
    cleanup.defer(() => outgoing.destroy())
    outgoing.on("response", (response) => {
      response.resume()
      answer(response.statusCode ?? 0, response.headers["retry-after"])
    })
    outgoing.on("error", () => answer("broken"))
    const step = Math.ceil(body.length / pieces)
    const push = async () => {
      for (let at = 0; at < body.length && !settled; at += step) {
        outgoing.write(body.subarray(at, at + step))
        await pause(millis / pieces)
      }
      outgoing.end()
    }
    void push()
  })
}

const total = (ledger: Ledger.Ledger) => Ledger.countOf([ledger], () => true)

const describe = ({ answers }: Ledger.Ledger) =>
  [...answers].map(([answered, times]) => `${times} of ${answered}`).join(", ")

export const scenario: Scenario = { name: "graceful stops", kinds: ["embedded", "postgres"], run }
