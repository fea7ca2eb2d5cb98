/** Bodies that cost far more to decode than to send, while honest senders also compress their bodies. */
import { setTimeout as pause } from "node:timers/promises"
import zlib from "node:zlib"
import * as Events from "../../packages/cli/test/faults/support/Events.js"
import * as Random from "../../packages/cli/test/faults/support/Random.js"
import { middle } from "../lib/Findings.js"
import * as Ledger from "../lib/Ledger.js"
import * as Session from "../lib/Session.js"
import * as Traffic from "../lib/Traffic.js"
import * as Verify from "../lib/Verify.js"
import * as Zstd from "../lib/Zstd.js"
import type { Scenario, Setting } from "../Scenario.js"

const MiB = 1024 * 1024
const patience = 60_000

/** About 100 KB when compressed. */
const filler = Random.text("filler", 134_000)

const codings = {
  gzip: (body: Buffer) => zlib.gzipSync(body),
  br: (body: Buffer) =>
    zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (body: Buffer) => Zstd.store(body),
} as const

type Coding = keyof typeof codings
const names = Object.keys(codings) as ReadonlyArray<Coding>

const honest = (coding: Coding, id: string) => {
  // Stored uncompressed, so that it is as long on the wire as the others.
  const text = coding === "zstd" ? filler.slice(0, 100_000) : filler
  const event = JSON.stringify({ event_id: id, message: "a long one", extra: { log: text } })
  return {
    body: codings[coding](Buffer.from(Events.envelopeOf(id, event))),
    headers: { "content-encoding": coding },
  }
}

const bombs = (): ReadonlyArray<readonly [Coding, Buffer]> => {
  const zeros = Buffer.alloc(64 * MiB)
  return [
    ["gzip", codings.gzip(zeros)],
    ["br", codings.br(zeros)],
    ["zstd", Zstd.bomb(1000)],
    ["zstd", Zstd.mill()],
  ]
}

/** Sends bombs of all kinds without a pause. Honest senders of all codings must get through. */
const run: Scenario["run"] = async (setting) => {
  const { cleanup, findings, size } = setting
  const storage = await setting.storage()
  const session = await Session.open(setting, storage)
  const keyless = `${session.node.url}/api/${session.project.id}/envelope/`
  const traffic = names.map((coding) =>
    Traffic.start(
      {
        url: () => session.url,
        source: setting.source(),
        connections: 1,
        pause: 100,
        bodyOf: (id) => honest(coding, id),
      },
      cleanup,
    ),
  )
  let stopped = false
  const hostile = Ledger.make()
  const attackers = bombs().map(async ([coding, body]) => {
    while (!stopped) {
      const headers = { "content-encoding": coding }
      const [answered] = await Traffic.ask(keyless, { body, headers }, patience)
      hostile.answer("", answered, "0")
    }
  })
  cleanup.defer(() => {
    stopped = true
  })
  await pause(size === "short" ? 2_500 : 30_000)
  stopped = true
  await Promise.all(attackers)
  for (const each of traffic) await each.stop()
  const ledgers = traffic.map(({ ledger }) => ledger)
  findings.set(
    "hostile answers",
    [...hostile.answers].map(([what, times]) => `${times} of ${what}`).join(", "),
  )
  const faults = Ledger.countOf([hostile], Ledger.isFault)
  findings.check(faults === 0, () => `${faults} bombs were answered with 5xx`)
  const taken = Ledger.countOf([hostile], (answered) => answered === 200)
  findings.check(taken === 0, () => `${taken} bombs were accepted`)
  for (const [index, { accepted }] of ledgers.entries()) {
    findings.check(accepted.size > 0, () => `No honest event in ${names[index]} got through`)
  }
  Verify.noneRefused(findings, ledgers)
  findings.set("peak MB", session.node.peakMemory())
  await Session.conclude(setting, storage, session, ledgers)
}

export const scenario: Scenario = { name: "bombs", kinds: ["postgres"], run }

/** Measures how long an honest event of each coding waits behind four concurrent frames that are costly to decode. */
const measure = async (setting: Setting) => {
  const { findings, size } = setting
  const storage = await setting.storage()
  const session = await Session.open(setting, storage)
  const keyless = `${session.node.url}/api/${session.project.id}/envelope/`
  const ledger = Ledger.make()
  const source = setting.source()
  let next = 0
  const wait = async (coding: Coding) => {
    const id = Events.eventId(source, next++)
    ledger.send(id)
    const sending = honest(coding, id)
    const began = performance.now()
    const [answered, retryAfter] = await Traffic.ask(session.url, sending, patience)
    ledger.answer(id, answered, retryAfter)
    return Math.round(performance.now() - began)
  }
  const body = Zstd.mill()
  const headers = { "content-encoding": "zstd" }
  const alone: Record<Coding, Array<number>> = { gzip: [], br: [], zstd: [] }
  const behind: Record<Coding, Array<number>> = { gzip: [], br: [], zstd: [] }
  const frames: Array<number> = []
  for (let round = 0; round < (size === "short" ? 1 : 5); round++) {
    for (const coding of names) {
      alone[coding].push(await wait(coding))
      const volley = Array.from({ length: 4 }, async () => {
        const began = performance.now()
        const [answered] = await Traffic.ask(keyless, { body, headers }, patience)
        findings.set("a frame is answered with", String(answered))
        frames.push(Math.round(performance.now() - began))
      })
      await pause(150)
      behind[coding].push(await wait(coding))
      await Promise.all(volley)
    }
  }
  findings.set("frame bytes", body.length)
  findings.set("frame answered after ms, of four: longest", Math.max(...frames))
  for (const coding of names) {
    findings.set(`${coding} alone ms`, middle(alone[coding]))
    findings.set(`${coding} behind four ms`, middle(behind[coding]))
  }
  await Session.conclude(setting, storage, session, [ledger])
}

export const figure: Scenario = {
  name: "four costly frames",
  kinds: ["postgres"],
  isFigure: true,
  run: measure,
}
