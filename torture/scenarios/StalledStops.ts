/** SIGTERM for a process that is suspended just before idle connections are closed, while requests arrive on them. */
import { connect, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import * as Events from "../../packages/cli/test/faults/support/Events.js"
import type { Cleanup } from "../lib/Cleanup.js"
import * as Ledger from "../lib/Ledger.js"
import * as Session from "../lib/Session.js"
import type { Scenario } from "../Scenario.js"

const connections = 60
const stall = 300

const run: Scenario["run"] = async (setting) => {
  const { chance, cleanup, findings, size } = setting
  const storage = await setting.storage()
  const ledgers: Array<Ledger.Ledger> = []
  for (let stop = 0; stop < (size === "short" ? 1 : 5); stop++) {
    const { node, url } = await Session.open(setting, storage)
    const ledger = Ledger.make()
    ledgers.push(ledger)
    const kept = await Promise.all(Array.from({ length: connections }, () => open(url, ledger, cleanup)))
    const source = setting.source()
    const send = (round: number) =>
      Promise.all(kept.map((one, i) => one.send(Events.eventId(source, round * connections + i), i)))
    await send(0)
    const ended = node.end("SIGTERM")
    // Idle connections are closed 300 ms after the signal.
    await pause(chance.between(120, 250))
    process.kill(node.pid, "SIGSTOP")
    const answered = send(1)
    await pause(stall)
    process.kill(node.pid, "SIGCONT")
    await answered
    const code = await ended
    findings.count("stops")
    findings.check(code === 0, () => `SIGTERM ended the node with ${code}`)
    const broken = ledger.answers.get("broken") ?? 0
    findings.count("requests during the stall", connections)
    findings.check(broken === 0, () => `${broken} of ${connections} requests were reset`)
  }
  await Session.conclude(setting, storage, await Session.open(setting, storage), ledgers)
}

/** A keep-alive connection that sends one event after the other. */
const open = (url: string, ledger: Ledger.Ledger, cleanup: Cleanup) =>
  new Promise<{ readonly send: (id: string, index: number) => Promise<void> }>((resolve, reject) => {
    const { hostname, pathname, port, search } = new URL(url)
    const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true })
    cleanup.defer(() => socket.destroy())
    let answer: (answered: Ledger.Answered) => void = () => {}
    socket.on("data", (chunk) => answer(Number(/^HTTP\/1\.1 (\d{3}) /.exec(chunk.toString("latin1"))?.[1])))
    socket.on("error", () => {})
    socket.on("close", () => answer("broken"))
    const send = (id: string, index: number) =>
      new Promise<void>((done) => {
        answer = (answered) => {
          answer = () => {}
          ledger.answer(id, answered)
          done()
        }
        ledger.send(id)
        const body = Events.envelope(id, index)
        const length = Buffer.byteLength(body)
        socket.write(
          `POST ${pathname}${search} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${length}\r\n\r\n${body}`,
        )
      })
    socket.once("connect", () => resolve({ send }))
    socket.once("error", reject)
  })

export const scenario: Scenario = { name: "stalled stops", kinds: ["embedded", "postgres"], run }
