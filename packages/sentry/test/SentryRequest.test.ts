import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { normalizeEventId } from "../src/EventId.js"
import {
  accept,
  envelope,
  eventId,
  expectBounded,
  generatedId,
  key,
  recordedEvent,
  sampleEvents,
  seeded,
} from "./support.js"

const read = (...args: Parameters<typeof accept>) => Result.getOrThrow(accept(...args))
const reasonOf = (...args: Parameters<typeof accept>) =>
  Result.getOrThrow(Result.flip(accept(...args))).reason

const event = [{ type: "event" }, '{"message":"hello"}'] as const
const ofEvent = (payload: string | Buffer) => envelope({ event_id: eventId }, [{ type: "event" }, payload])
const other = "0".repeat(31)
const dashed = "9EC79C33-ec99-42ab-8353-589fcb2e04dc"

describe("SentryRequest", () => {
  it("accepts an envelope with an event", () => {
    const body = envelope({ event_id: eventId }, event)
    expect(read({ body })).toEqual({
      key,
      eventId,
      payloads: [{ kind: "envelope", eventId, body }],
      reports: 1,
      unlimited: [],
    })
  })

  it("prefers the header's id to the event's, and generates one if both are missing", () => {
    const withId = [{ type: "event" }, JSON.stringify({ event_id: `${other}1` })] as const
    expect(read({ body: envelope({ event_id: dashed }, withId) }).eventId).toBe(eventId)
    expect(read({ body: envelope({}, withId) }).eventId).toBe(`${other}1`)
    expect(read({ body: envelope({ event_id: null }, withId) }).eventId).toBe(`${other}1`)
    expect(read({ body: envelope({}, event) }).eventId).toBe(generatedId)
  })

  it.each(["x", "9ec79c33ec9942ab8353589fcb2e04d", 5, {}, `${eventId}0`])("refuses the id %j", (id) => {
    expect(reasonOf({ body: envelope({ event_id: id }, event) })).toBe("invalid_event_id")
    expect(reasonOf({ endpoint: "store", body: JSON.stringify({ event_id: id }) })).toBe("invalid_event_id")
  })

  it("normalises ids", () => {
    expect(normalizeEventId(dashed)).toBe(eventId)
    expect(normalizeEventId(` ${eventId.toUpperCase()}\n`)).toBe(eventId)
    expect(normalizeEventId("9ec79c33-ec9942ab8353589fcb2e04dc")).toBeNull()
    expect(normalizeEventId(`${eventId}${" ".repeat(1000)}`)).toBeNull()
  })

  it("stores nothing for an empty request", () => {
    const nothing = { key, eventId: null, payloads: [], reports: 0, unlimited: [] }
    expect(read({ body: "" })).toEqual(nothing)
    expect(read({ body: "{}" })).toEqual(nothing)
    expect(read({ body: envelope({ event_id: "txn_1" }, [{ type: "transaction" }, "{}"]) })).toEqual(nothing)
    expect(read({ endpoint: "store", body: " \n" })).toEqual(nothing)
    expect(read({ endpoint: "store", body: '{"type":"transaction"}' })).toEqual(nothing)
  })

  it("returns no id if there is no event or feedback", () => {
    const report = [{ type: "client_report" }, '{"discarded_events":[]}'] as const
    const accepted = read({ body: envelope({}, report) })
    expect(accepted).toMatchObject({ eventId: null, reports: 0, payloads: [{ eventId: generatedId }] })
    const feedback = [{ type: "user_report" }, JSON.stringify({ event_id: eventId, comments: "x" })] as const
    expect(read({ body: envelope({}, feedback) })).toMatchObject({ eventId, reports: 1 })
    const own = [{ type: "feedback" }, '{"contexts":{"feedback":{"message":"x"}}}'] as const
    expect(read({ body: envelope({}, own) })).toMatchObject({ eventId: generatedId, reports: 1 })
  })

  it("rejects an event that is not a JSON object", () => {
    for (const payload of [
      "",
      "x",
      "[]",
      '{"a":',
      "}",
      "{a}",
      '{"a":"b","c":}',
      '{"a":[1,2}',
      '{"a":"\n"}',
    ]) {
      expect(reasonOf({ body: envelope({ event_id: eventId }, [{ type: "event" }, payload]) })).toBe(
        "invalid_json",
      )
    }
    expect(reasonOf({ body: envelope({}, [{ type: "event" }, "{a}"]) })).toBe("invalid_json")
    const nan = envelope({ event_id: eventId }, [{ type: "event" }, '{"extra":{"n":NaN}}'])
    expect(recordedEvent(read({ body: nan })).details.extras).toEqual([{ key: "n", value: null }])
  })

  it.each([
    " {\t}\r\n",
    "\ufeff{}",
    '{"a":[-0,0.5,-1e9,1E+2,12345678901234567890,1.5e-7],"b":[[],{}],"c":null}',
    '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D"}',
    '{"ä":"日本語 \u007f"}',
    '{"a":1,"a":2,"__proto__":3}',
    '{"a":NaN,"b":[-Infinity]}',
  ])("accepts the event %j", (payload) => {
    expectBounded(recordedEvent(read({ body: ofEvent(payload) })))
  })

  it("accepts events with invalid UTF-8 or deep nesting", () => {
    const bytes = (...inner: ReadonlyArray<number>) =>
      Buffer.from([...Buffer.from('{"message":"'), ...inner, 34, 125])
    const deep = `{"extra":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`
    for (const payload of [bytes(0xff), bytes(0xe2, 0x82), bytes(0xed, 0xa0, 0x80), deep]) {
      expectBounded(recordedEvent(read({ body: ofEvent(payload) })))
    }
  })

  it.each([
    "[{}]",
    "null",
    "5",
    '"{}"',
    "{}}",
    "{} x",
    "{,}",
    '{"a":1,}',
    '{"a":[1}]',
    "{'a':1}",
    '{"a":01}',
    '{"a":1.}',
    '{"a":truex}',
    '{"a":undefined}',
    '{"a":NaN',
    '{"a":"\\x"}',
    '{"a":"\\u00g0"}',
    '{"a":"\\u12',
    '{"a":"b\\"}',
    '{"a":"\u0000"}',
    '{"a":1}\u0000',
    '{"a":1}\u00a0',
    "{\u000b}",
    "\ufeff\ufeff{}",
  ])("rejects the event %j", (payload) => {
    expect(reasonOf({ body: ofEvent(payload) })).toBe("invalid_json")
  })

  it("accepts sample events and rejects them when they are cut off", () => {
    const next = seeded(21)
    for (const { bytes, name } of sampleEvents()) {
      expect(read({ body: ofEvent(bytes) }).reports, name).toBe(1)
      const cut = bytes.subarray(0, next(bytes.lastIndexOf("}")))
      expect(reasonOf({ body: ofEvent(cut) }), name).toBe("invalid_json")
    }
  })

  it.each(["user_report", "feedback", "client_report"])(
    "rejects a %s that is not a JSON object, without an event next to it",
    (type) => {
      const broken = [{ type }, '{"event_id":"a","comments":}'] as const
      const attachment = [{ type: "attachment" }, "x"] as const
      expect(reasonOf({ body: envelope({ event_id: eventId }, broken) })).toBe("invalid_json")
      expect(reasonOf({ body: envelope({ event_id: eventId }, attachment, broken) })).toBe("invalid_json")
      const accepted = read({ body: envelope({ event_id: eventId }, event, broken) })
      expect(recordedEvent(accepted).details.logentry?.formatted).toBe("hello")
    },
  )

  it("uses the DSN of the header only if nothing else has a key", () => {
    const dsn = `https://${"a".repeat(32)}@errors.example/1`
    const body = envelope({ event_id: eventId, dsn }, event)
    expect(read({ body }).key).toBe(key)
    expect(read({ body, projectId: "2" }).key).toBe(key)
    expect(read({ body, credentials: null }).key).toBe("a".repeat(32))
    expect(reasonOf({ body, credentials: null, projectId: "2" })).toBe("conflicting_project")
    expect(reasonOf({ body: envelope({}, event), credentials: null })).toBe("missing_key")
    expect(reasonOf({ body: "{}", endpoint: "store", credentials: null })).toBe("missing_key")
  })

  it("accepts store bodies, also with NaN, and records them", () => {
    const accepted = read({
      endpoint: "store",
      body: `{"event_id":"${dashed}","message":"m","extra":{"n":NaN}}`,
    })
    expect(accepted).toMatchObject({ eventId, reports: 1, payloads: [{ kind: "event", eventId }] })
    expect(recordedEvent(accepted).details).toMatchObject({
      logentry: { formatted: "m" },
      extras: [{ key: "n", value: null }],
    })
  })
})
