/** Uploads that cost far more than they weigh, while events of another project arrive. */
import { zip } from "../../packages/sourcemap/test/support/Zip.js"
import * as Bystander from "../lib/Bystander.js"
import * as Session from "../lib/Session.js"
import * as Uploads from "../lib/Uploads.js"
import type { Scenario, Setting } from "../Scenario.js"

/** MB; a node that is idle takes 200. */
const mostMemory = 600

const concurrent = 4

/** Runs an attack against a node of its own; no answer may be a fault of the server. */
const attacked = async (
  setting: Setting,
  attack: (session: Session.Session, rounds: number) => Promise<void>,
) => {
  const { findings, size } = setting
  const session = await Session.open(setting, await setting.storage())
  const run = () => attack(session, size === "short" ? 2 : 30)
  await Bystander.besides(session.node, findings, { mostMemory, run })
  const code = await session.node.end("SIGTERM")
  findings.check(code === 0, () => `The node ended with ${code}`)
}

const inParallel = (call: (index: number) => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: concurrent }, (_, index) => call(index)))

/** Counts the answer to a call, and how long it took. */
const ask = async (setting: Setting, session: Session.Session, path: string, body: unknown) => {
  const { findings } = setting
  const began = performance.now()
  const answer = await Uploads.call(session.node, "POST", path, JSON.stringify(body))
  findings.count(`answers ${answer.status}`)
  findings.most("longest answer ms", Math.round(performance.now() - began))
  findings.check(answer.status < 500, () => `A call was answered with ${answer.status}`)
  return answer
}

/** A bundle of 127 entries with 16,383 empty extra fields each. */
const bundle = (seed: number): Uint8Array =>
  zip(
    Array.from({ length: 127 }, (_, index) => ({
      name: `${seed}/${index}.js`,
      content: "",
      extra: Buffer.alloc(65_532),
    })),
  )

/** The chunk of a bundle is named once, eight times, and twenty times. */
const namings = [1, 8, 20]

const runZips: Scenario["run"] = (setting) =>
  attacked(setting, async (session, rounds) => {
    for (let round = 0; round < rounds; round++) {
      await inParallel(async (index) => {
        const chunk = bundle(round * concurrent + index)
        const { bytes, checksum } = await Uploads.storeChunk(session.node, chunk)
        setting.findings.set("bytes on the wire", bytes)
        for (const times of namings) {
          const answer = await ask(setting, session, "/api/0/organizations/errata/artifactbundle/assemble/", {
            checksum: Uploads.sha1(Buffer.concat(Array<Uint8Array>(times).fill(chunk))),
            chunks: Array<string>(times).fill(checksum),
            projects: [session.project.id],
          })
          const isRefused = answer.status === 400 || JSON.parse(answer.body).state === "error"
          setting.findings.check(isRefused, () => `Named ${times} times: ${answer.body.slice(0, 200)}`)
        }
      })
    }
  })

export const zips: Scenario = { name: "hostile zips", kinds: ["postgres"], run: runZips }

/** 2,000 files in a call, and as many as a call may name; each is the same chunk, which is no debug file. */
const runDebugFiles: Scenario["run"] = (setting) =>
  attacked(setting, async (session, rounds) => {
    const junk = Buffer.alloc(1024 * 1024, "junk")
    const { checksum } = await Uploads.storeChunk(session.node, junk)
    const path = `/api/0/projects/errata/${session.project.id}/files/difs/assemble/`
    const files = (count: number, seed: string) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          index === 0 ? checksum : Uploads.sha1(Buffer.from(`${seed} ${index}`)),
          { name: `${index}.so`, chunks: [checksum] },
        ]),
      )
    for (let round = 0; round < rounds; round++) {
      await inParallel(async (index) => {
        const many = await ask(setting, session, path, files(2_000, `${round} ${index}`))
        setting.findings.check(many.status === 400, () => `2,000 files were answered with ${many.status}`)
        await ask(setting, session, path, files(100, `${round} ${index}`))
      })
    }
  })

export const debugFiles: Scenario = { name: "many debug files", kinds: ["postgres"], run: runDebugFiles }
