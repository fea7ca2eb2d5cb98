import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { decodeBody } from "../src/ContentEncoding.js"
import {
  accept,
  eventId,
  expectBounded,
  hasRealData,
  limits,
  realAnswers,
  recordedEvent,
  sampleEnvelopes,
  sampleEvents,
} from "./support.js"

const codings = {
  identity: (body: Buffer) => body,
  gzip: (body: Buffer) => gzipSync(body),
  "x-gzip": (body: Buffer) => gzipSync(body),
  deflate: (body: Buffer) => deflateSync(body),
  br: (body: Buffer) => brotliCompressSync(body),
  "br, gzip": (body: Buffer) => gzipSync(brotliCompressSync(body)),
  "UTF-8": (body: Buffer) => body,
}

const title = hasRealData ? "samples and real data" : "samples (../shared/data is not there)"

describe(title, () => {
  const events = sampleEvents()
  const prepared = events.map(({ name, bytes }) => ({
    name,
    event: { timestamp: 1748952000, platform: "other", ...JSON.parse(bytes.toString()), event_id: eventId },
  }))

  it("reads every event the same from an envelope and from store", () => {
    expect(prepared.length).toBeGreaterThan(hasRealData ? 100 : 13)
    for (const { name, event } of prepared) {
      const json = JSON.stringify(event)
      const item = Result.getOrThrow(
        accept({ body: `${JSON.stringify({ event_id: eventId })}\n{"type":"event"}\n${json}\n` }),
      )
      const stored = Result.getOrThrow(accept({ endpoint: "store", body: json }))
      const recorded = recordedEvent(item)
      expect(item.eventId, name).toBe(eventId)
      expect(recordedEvent(stored), name).toEqual(recorded)
      expectBounded(recorded)
      const { exceptions, logentry, threads, security_report } = recorded.details
      const told =
        exceptions.length > 0 || logentry !== null || threads.length > 0 || security_report !== null
      expect(told, `${name} tells what happened`).toBe(true)
      if (Object.keys(event.tags ?? {}).length > 0) expect(recorded.tags.length, name).toBeGreaterThan(0)
      if (event.breadcrumbs?.length > 0) expect(recorded.details.breadcrumbs.length, name).toBeGreaterThan(0)
    }
  })

  it("accepts every event through store in base64, deflated or not", () => {
    for (const { name, event } of prepared) {
      const json = Buffer.from(JSON.stringify(event))
      for (const body of [json.toString("base64"), deflateSync(json).toString("base64")]) {
        expect(Result.getOrThrow(accept({ endpoint: "store", body })).eventId, name).toBe(eventId)
      }
    }
  })

  it("accepts every event in every content coding", async () => {
    for (const { name, event } of prepared) {
      const json = Buffer.from(JSON.stringify(event))
      const raw = await Effect.runPromise(decodeBody(deflateRawSync(json), "deflate", limits.maxBodyBytes))
      expect(raw.equals(json), `${name} in raw deflate`).toBe(true)
      for (const [coding, encode] of Object.entries(codings)) {
        const decoded = await Effect.runPromise(decodeBody(encode(json), coding, limits.maxBodyBytes))
        expect(decoded.equals(json), `${name} in ${coding}`).toBe(true)
      }
    }
  })

  it("accepts every envelope except truncated ones", () => {
    const refused: Array<string> = []
    for (const { name, bytes } of sampleEnvelopes()) {
      const newline = bytes.indexOf(10)
      const header = JSON.parse(bytes.subarray(0, newline === -1 ? bytes.length : newline).toString())
      const { dsn: _, ...headers } = header
      const rest = newline === -1 ? Buffer.alloc(0) : bytes.subarray(newline)
      const accepted = accept({ body: Buffer.concat([Buffer.from(JSON.stringify(headers)), rest]) })
      if (Result.isFailure(accepted)) {
        expect(accepted.failure.reason, name).toBe("invalid_envelope")
        refused.push(name)
        continue
      }
      const hasEvent = /^\{[^\n]*"type":"event"/m.test(
        bytes.toString("latin1").slice(newline + 1, newline + 200),
      )
      if (hasEvent) expect(accepted.success.reports, name).toBe(1)
      if (/"type":\s*"event"/.test(bytes.toString("latin1"))) expectBounded(recordedEvent(accepted.success))
    }
    expect(refused.sort()).toEqual([
      ...(hasRealData ? ["envelopes/continuous_profiling__profile_chunk_1.txt"] : []),
      "envelopes/cut-short.txt",
      ...(hasRealData ? ["envelopes/envelope_with_screenshot.bin"] : []),
    ])
  })

  it.runIf(hasRealData)("reads the same error from paired events as another tracker", () => {
    const answers = new Map(
      realAnswers().map(({ name, bytes }) => [name.split("/").pop(), JSON.parse(bytes.toString())]),
    )
    const paired = prepared.filter(({ name }) => name.startsWith("paired/"))
    expect(paired.length).toBe(7)
    for (const { name, event } of paired) {
      const { metadata, culprit } = answers.get(name.split("/").pop())
      const { details } = recordedEvent(
        Result.getOrThrow(accept({ endpoint: "store", body: JSON.stringify(event) })),
      )
      if (metadata.type === undefined) expect(details.logentry?.formatted, name).toBe(metadata.title)
      else {
        expect(details.exceptions.at(-1), name).toMatchObject({
          type: metadata.type,
          value: metadata.value,
        })
      }
      if (details.transaction !== "") expect(details.transaction, name).toBe(culprit)
    }
  })
})
