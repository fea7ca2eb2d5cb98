/** Small uploads that are costly to process, while events of another project arrive. */
import { createHash } from "node:crypto"
import * as Bystander from "../lib/Bystander.js"
import * as Session from "../lib/Session.js"
import * as Uploads from "../lib/Uploads.js"
import type { Scenario, Setting } from "../Scenario.js"

/**
 * Four attackers send and assemble 8 MB each: 250 MB were measured. Before directories were bounded, an archive with
 * one reference to its directory took 320 MB, and 20 references ended the process.
 */
const mostMemory = 500

const concurrent = 4

/** Runs an attack against its own node. No response may be a server fault. */
const attacked = async (setting: Setting, attack: (session: Session.Session) => Promise<void>) => {
  const session = await Session.open(setting, await setting.storage())
  await Bystander.besides(session.node, setting.findings, { mostMemory, run: () => attack(session) })
  const code = await session.node.end("SIGTERM")
  setting.findings.check(code === 0, () => `The node ended with ${code}`)
}

const inParallel = (call: (index: number) => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: concurrent }, (_, index) => call(index)))

/** Counts the response to a call and records its time. */
const ask = async (setting: Setting, session: Session.Session, path: string, body: unknown) => {
  const { findings } = setting
  const began = performance.now()
  const answer = await Uploads.call(session.node, "POST", path, JSON.stringify(body))
  findings.count(`answers ${answer.status}`)
  findings.most("longest answer ms", Math.round(performance.now() - began))
  findings.check(answer.status < 500, () => `A call was answered with ${answer.status}`)
  return answer
}

const entries = 127

/** The directory of an archive: 127 entries with 16,383 empty extra fields each, 8 MB. */
const directory = (seed: number): Buffer => {
  const extra = Buffer.alloc(65_532)
  return Buffer.concat(
    Array.from({ length: entries }, (_, index) => {
      const name = Buffer.from(`${seed}/${index}.js`)
      const header = Buffer.alloc(46)
      header.writeUInt32LE(0x02014b50, 0)
      header.writeUInt16LE(20, 4)
      header.writeUInt16LE(20, 6)
      header.writeUInt16LE(name.byteLength, 28)
      header.writeUInt16LE(extra.byteLength, 30)
      return Buffer.concat([header, name, extra])
    }),
  )
}

/** The record at the end of an archive that is only a directory. */
const endOf = (entryCount: number, bytes: number): Buffer => {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entryCount, 8)
  end.writeUInt16LE(entryCount, 10)
  end.writeUInt32LE(bytes, 12)
  return end
}

/** Number of references to the directory in an archive. Each adds 127 entries for a few bytes. */
const namings = [1, 2, 8, 20]

interface Archive {
  readonly times: number
  readonly checksum: string
  readonly chunks: ReadonlyArray<string>
}

/** An attacker's chunks and the archives made of them. */
const archivesOf = (seed: number) => {
  const repeated = directory(seed)
  const { byteLength } = repeated
  const first = Uploads.chunkOf(repeated)
  const chunks = [first]
  const archives: Array<Archive> = []
  const hash = createHash("sha1")
  for (let times = 1; times <= Math.max(...namings); times++) {
    hash.update(repeated)
    if (!namings.includes(times)) continue
    const end = endOf(entries * times, byteLength * times)
    const last = Uploads.chunkOf(end)
    chunks.push(last)
    archives.push({
      times,
      checksum: hash.copy().update(end).digest("hex"),
      chunks: [...Array<string>(times).fill(first.checksum), last.checksum],
    })
  }
  return { chunks, archives }
}

const runZips: Scenario["run"] = async (setting) => {
  const { findings, size } = setting
  const attackers = Array.from({ length: concurrent }, (_, seed) => archivesOf(seed))
  await attacked(setting, async (session) => {
    for (let round = 0; round < (size === "short" ? 1 : 20); round++) {
      await inParallel(async (index) => {
        const { archives, chunks } = attackers[index]!
        for (const chunk of chunks) await Uploads.storeChunk(session.node, chunk)
        for (const { times, ...archive } of archives) {
          const path = "/api/0/organizations/errata/artifactbundle/assemble/"
          const body = { ...archive, projects: [session.project.id] }
          const answer = await ask(setting, session, path, body)
          const isRefused = answer.status === 400 || JSON.parse(answer.body).state === "error"
          findings.check(isRefused, () => `Named ${times} times: ${answer.body.slice(0, 200)}`)
        }
      })
    }
  })
}

export const zips: Scenario = { name: "hostile zips", kinds: ["postgres"], run: runZips }

/** Calls with 2,000 files, and with as many as a call may have. Each is the same chunk, which is not an archive. */
const runDebugFiles: Scenario["run"] = async (setting) => {
  const { findings, size } = setting
  const chunk = Uploads.chunkOf(Buffer.alloc(1024 * 1024, "junk"))
  const { checksum } = chunk
  const files = (count: number, seed: string, extension: string) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        index === 0 ? checksum : Uploads.sha1(Buffer.from(`${seed} ${index}`)),
        { name: `${index}.${extension}`, chunks: [checksum] },
      ]),
    )
  await attacked(setting, async (session) => {
    await Uploads.storeChunk(session.node, chunk)
    const path = `/api/0/projects/errata/${session.project.id}/files/difs/assemble/`
    for (let round = 0; round < (size === "short" ? 1 : 4); round++) {
      await inParallel(async (index) => {
        const seed = `${round} ${index}`
        const many = await ask(setting, session, path, files(2_000, seed, "so"))
        findings.check(many.status === 400, () => `2,000 files were answered with ${many.status}`)
        await ask(setting, session, path, files(100, seed, "so"))
        // Only archives are read.
        await ask(setting, session, path, files(100, `${seed} zip`, "zip"))
      })
    }
  })
}

export const debugFiles: Scenario = { name: "many debug files", kinds: ["postgres"], run: runDebugFiles }
