/** Hundreds of connections that send slowly, stop, close halfway or send nothing. */
import type { Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import zlib from "node:zlib"
import * as Events from "../../packages/cli/test/faults/support/Events.js"
import * as Session from "../lib/Session.js"
import type { Attack } from "../lib/Sockets.js"
import { head, hold } from "../lib/Sockets.js"
import * as Traffic from "../lib/Traffic.js"
import * as Verify from "../lib/Verify.js"
import type { Scenario } from "../Scenario.js"

const MiB = 1024 * 1024

/** Writes a byte at intervals until the socket closes. */
const trickle = (socket: Socket, byte: string, everyMillis: number) => {
  const timer = setInterval(() => socket.write(byte), everyMillis)
  socket.once("close", () => clearInterval(timer))
}

const run: Scenario["run"] = async (setting) => {
  const { chance, cleanup, findings, size } = setting
  const storage = await setting.storage()
  const session = await Session.open(setting, storage)
  const path = `/api/${session.project.id}/envelope/`
  const scale = size === "short" ? 1 : 3
  const kept = Traffic.start(
    { url: () => session.url, source: setting.source(), connections: 4, pause: 50 },
    cleanup,
  )
  // Each on a new connection, since new ones must be accepted as well.
  const fresh = Traffic.start(
    {
      url: () => session.url,
      source: setting.source(),
      connections: 2,
      pause: 100,
      bodyOf: (id, index) => ({ body: Events.envelope(id, index), headers: { connection: "close" } }),
    },
    cleanup,
  )
  const half = zlib.gzipSync(chance.bytes(100_000)).subarray(0, 50_000)
  const pipelined = `${head(path, { "Content-Length": 2 })}{}`.repeat(200)
  const attack = (count: number, use: (socket: Socket) => void) =>
    hold(session.node.url, count * scale, use, cleanup)
  const attacks: Record<string, Attack> = {
    idle: attack(100, () => {}),
    "body announced": attack(30, (socket) => socket.write(head(path, { "Content-Length": 16 * MiB }))),
    "body trickled": attack(30, (socket) => {
      socket.write(head(path, { "Content-Length": 16 * MiB }))
      trickle(socket, "x", chance.between(50, 500))
    }),
    "chunks trickled": attack(30, (socket) => {
      socket.write(head(path, { "Transfer-Encoding": "chunked" }))
      trickle(socket, "1\r\nx\r\n", chance.between(50, 500))
    }),
    "head trickled": attack(30, (socket) => {
      socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Filler: `)
      trickle(socket, "x", chance.between(50, 500))
    }),
    "hung up halfway": attack(20, (socket) => {
      socket.write(head(path, { "Content-Length": 5_000 }))
      socket.end("{}")
    }),
    "half the body, by gzip": attack(20, (socket) => {
      socket.write(head(path, { "Content-Length": 100_000, "Content-Encoding": "gzip" }))
      socket.write(half)
    }),
    "answers not read": attack(10, (socket) => {
      socket.pause()
      socket.write(pipelined)
    }),
  }
  await pause(size === "short" ? 3_000 : 40_000)
  for (const [name, { closed, opened, stop }] of Object.entries(attacks)) {
    findings.set(`${name}: opened/closed by the server`, `${opened()}/${closed()}`)
    stop()
  }
  await pause(300)
  await kept.stop()
  await fresh.stop()
  const ledgers = [kept.ledger, fresh.ledger]
  Verify.noneRefused(findings, ledgers)
  for (const { accepted } of ledgers) findings.check(accepted.size > 0, () => "No honest sender got through")
  findings.set("peak MB", session.node.peakMemory())
  await Session.conclude(setting, storage, session, ledgers)
}

export const scenario: Scenario = { name: "slow senders", kinds: ["postgres"], run }
