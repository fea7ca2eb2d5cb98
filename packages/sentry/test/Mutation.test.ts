import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { decodeSentryPayload } from "../src/SentryPayloadDecoder.js"
import {
  accept,
  envelope,
  eventId,
  expectBounded,
  hasRealData,
  limits,
  projectId,
  receivedAt,
  sampleEnvelopes,
  sampleEvents,
  seeded,
} from "./support.js"

type Next = (max: number) => number

const flip = (bytes: Buffer, next: Next): Buffer => {
  const out = Buffer.from(bytes)
  for (let i = next(8) + 1; i > 0 && out.length > 0; i--) out[next(out.length)] = next(256)
  return out
}

const cut = (bytes: Buffer, next: Next): Buffer => bytes.subarray(0, next(bytes.length + 1))

const drop = (bytes: Buffer, next: Next): Buffer => {
  const from = next(bytes.length + 1)
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + next(64))])
}

const repeat = (bytes: Buffer, next: Next): Buffer => {
  const from = next(bytes.length + 1)
  const part = bytes.subarray(from, from + next(256))
  return Buffer.concat([bytes.subarray(0, from), part, part, bytes.subarray(from)])
}

const mutations = [flip, cut, drop, repeat]

const odd: ReadonlyArray<unknown> = [
  null,
  0,
  -1,
  1e308,
  "",
  "\0\ud800",
  true,
  [],
  {},
  [[]],
  [null],
  { values: null },
  { frames: 5 },
]

/** Puts an odd value, a wrapped one, or the whole event into one place of an event. */
const graft = (event: unknown, next: Next): unknown => {
  const copy = structuredClone(event)
  let target = copy as Record<string, unknown>
  for (let depth = next(8); depth >= 0; depth--) {
    const keys = Object.keys(target)
    if (keys.length === 0) break
    const name = keys[next(keys.length)]!
    const value = target[name]
    if (depth > 0 && typeof value === "object" && value !== null) target = value as Record<string, unknown>
    else {
      const choice = next(4)
      target[name] =
        choice === 0
          ? [value]
          : choice === 1
            ? { value }
            : choice === 2
              ? structuredClone(event)
              : odd[next(odd.length)]
      break
    }
  }
  return copy
}

/** Either refused, or recorded within the limits and never a dead letter; and how many were. */
const outcome = (endpoint: "envelope" | "store", body: Buffer): boolean => {
  const accepted = accept({ endpoint, body })
  if (Result.isFailure(accepted)) return false
  for (const stored of accepted.success.payloads) {
    const decoded = decodeSentryPayload({ ...stored, projectId, receivedAt }, limits)
    if (Result.isFailure(decoded)) expect.fail(`accepted, and not readable: ${decoded.failure.reason}`)
    if (decoded.success.event !== null) expectBounded(decoded.success.event)
  }
  return true
}

const title = hasRealData
  ? "a mutated sample or piece of real data"
  : "a mutated sample (../shared/data is not there)"

describe(title, () => {
  it("mutated bytes of an event are rejected or bounded", () => {
    const next = seeded(11)
    let taken = 0
    const events = sampleEvents()
    for (const { bytes } of events) {
      for (let i = 0; i < 24; i++) {
        const mutated = mutations[i % mutations.length]!(bytes, next)
        if (outcome("store", mutated)) taken++
        outcome("envelope", envelope({ event_id: eventId }, [{ type: "event" }, mutated]))
      }
    }
    expect(taken).toBeGreaterThan(events.length)
  })

  it("an event with any value in any place is accepted", () => {
    const next = seeded(12)
    for (const { name, bytes } of sampleEvents()) {
      const event = { ...JSON.parse(bytes.toString()), event_id: eventId }
      for (let i = 0; i < 12; i++) {
        const mutated = { ...(graft(event, next) as object), event_id: eventId, type: "error" }
        expect(outcome("store", Buffer.from(JSON.stringify(mutated))), name).toBe(true)
      }
    }
  })

  it("mutated bytes of an envelope are rejected or bounded", () => {
    const next = seeded(13)
    let taken = 0
    for (const { bytes } of sampleEnvelopes()) {
      for (let i = 0; i < 60; i++) {
        let mutated = bytes
        for (let steps = next(3); steps >= 0; steps--)
          mutated = mutations[next(mutations.length)]!(mutated, next)
        if (outcome("envelope", mutated)) taken++
      }
    }
    expect(taken).toBeGreaterThan(100)
  })
})
