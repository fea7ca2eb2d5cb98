/** Events as clients send them, our own samples and the real ones beside the project, sent over HTTP in every coding and read back. */

import { randomUUID } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { start, type TestInstance } from "./support/TestInstance.js"

const own = "test/samples"
const real = "../shared/data"
const present = existsSync(real)

const codings: ReadonlyArray<readonly [string, (body: Buffer) => Buffer]> = [
  ["identity", (body) => body],
  ["gzip", (body) => gzipSync(body)],
  ["deflate", (body) => deflateSync(body)],
  ["deflate", (body) => deflateRawSync(body)],
  ["br", (body) => brotliCompressSync(body)],
  ["zstd", zstdCompressSync],
]

const files = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(?:json|txt|bin)$/.test(name))
        .sort()
        .map((name) => `${folder}/${name}`)
    : []

const freshId = () => randomUUID().replaceAll("-", "")

describe("the corpus", () => {
  let errata: TestInstance
  let headers: Record<string, string>
  beforeAll(async () => {
    errata = await start()
    headers = { "x-sentry-auth": `Sentry sentry_key=${errata.mine.token}, sentry_version=7` }
  })
  afterAll(() => errata.stop())

  const send = (endpoint: string, body: Buffer, coding: string) =>
    errata.fetch(`/api/${errata.mine.id}/${endpoint}/`, {
      method: "POST",
      body: new Uint8Array(body),
      headers: { ...headers, "content-encoding": coding },
    })

  const read = (id: string) => errata.api(`/projects/${errata.mine.id}/reports/${id}`)

  if (!present) it.skip(`events and envelopes of ${real}, which is not there`, () => {})

  it.each([`${own}/events`, `${real}/events`, `${real}/paired/incoming_events`].flatMap(files))(
    "%s",
    async (file) => {
      const event = JSON.parse(readFileSync(file, "utf8"))
      const ids: Array<string> = []
      for (const [coding, encode] of codings) {
        for (const endpoint of ["envelope", "store"]) {
          const id = freshId()
          ids.push(id)
          const timestamp = event.timestamp ?? new Date().toISOString()
          const json = JSON.stringify({ platform: "other", ...event, event_id: id, timestamp })
          const body = endpoint === "store" ? json : `{"event_id":"${id}"}\n{"type":"event"}\n${json}\n`
          const answer = await send(endpoint, encode(Buffer.from(body)), coding)
          expect([coding, endpoint, answer.status, answer.json]).toEqual([coding, endpoint, 200, { id }])
        }
      }
      await errata.record()
      const groups = new Set<number>()
      for (const id of ids) {
        const report = await read(id)
        expect([report.status, report.json.event_id]).toEqual([200, id])
        groups.add(report.json.group_id)
      }
      // The same error in every transport encoding.
      expect(groups.size).toBe(1)
    },
  )

  const cut = new Set([
    "cut-short.txt",
    "continuous_profiling__profile_chunk_1.txt",
    "envelope_with_screenshot.bin",
  ])

  it.each([`${own}/envelopes`, `${real}/envelopes`].flatMap(files))("%s", async (file) => {
    const bytes = readFileSync(file)
    const end = bytes.indexOf(10)
    const header = JSON.parse(bytes.subarray(0, end === -1 ? undefined : end).toString() || "{}")
    delete header.dsn
    const id = freshId()
    if (header.event_id !== undefined) header.event_id = id
    const body =
      bytes.length === 0
        ? bytes
        : Buffer.concat([
            Buffer.from(JSON.stringify(header)),
            end === -1 ? Buffer.alloc(0) : bytes.subarray(end),
          ])
    for (const [coding, encode] of codings) {
      const answer = await send("envelope", encode(body), coding)
      expect([coding, answer.status]).toEqual([
        coding,
        cut.has(file.slice(file.lastIndexOf("/") + 1)) ? 400 : 200,
      ])
      if (answer.status === 200 && /"type" *: *"event"/.test(bytes.toString("latin1").slice(0, 4000))) {
        await errata.record()
        expect((await read(answer.json.id)).status).toBe(200)
      }
    }
  })
})
