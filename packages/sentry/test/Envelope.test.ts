import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { parseEnvelope, storedEnvelope } from "../src/Envelope.js"
import { envelope, eventId, limits } from "./support.js"

const parse = (body: string | Buffer) => parseEnvelope(Buffer.from(body as Buffer), limits)
const read = (body: string | Buffer) => Result.getOrThrow(parse(body))
const reasonOf = (body: string | Buffer) => Result.getOrThrow(Result.flip(parse(body))).reason
const payloads = (body: string | Buffer) =>
  read(body).items.map((item) => [item.type, item.payload.toString("latin1")])

describe("Envelope", () => {
  it("reads items with and without a length", () => {
    const body = `{"event_id":"${eventId}"}\n{"type":"event"}\n{"a":1}\n{"type":"attachment","length":4}\na\nb\n\n{"type":"user_report"}\n{}`
    expect(payloads(body)).toEqual([
      ["event", '{"a":1}'],
      ["attachment", "a\nb\n"],
      ["user_report", "{}"],
    ])
    expect(read(body).headers).toEqual({ event_id: eventId })
    expect(payloads(`${body}\n`)).toEqual(payloads(body))
  })

  it("keeps carriage returns and every other byte in payloads", () => {
    const bytes = Buffer.from([0xef, 0xbb, 0xbf, 13, 10, 0, 255])
    expect(read(envelope({}, [{ type: "attachment" }, bytes])).items[0]!.payload.equals(bytes)).toBe(true)
    expect(payloads('{}\n{"type":"attachment"}\nHello\r\n')).toEqual([["attachment", "Hello\r"]])
  })

  it("accepts header lines that end in a carriage return, and blank lines between items", () => {
    expect(payloads('{}\r\n{"type":"event"}\r\n{}\n\n\r\n{"type":"attachment","length":0}\n\n')).toEqual([
      ["event", "{}"],
      ["attachment", ""],
    ])
  })

  it.each(["\n", "\r\n", " \n"])("does not search for the end of each blank line %j", (line) => {
    const body = Buffer.from(`{}\n${line.repeat(10_000)}{"type":"event"}\n{}${line.repeat(10_000)}`)
    const searches = vi.spyOn(body, "indexOf")
    expect(Result.getOrThrow(parseEnvelope(body, limits)).items).toHaveLength(1)
    expect(searches.mock.calls.length).toBeLessThan(10)
  })

  it.each(["", "\n", "  \r\n\n", "{}", "{}\n", "{}\n\n\n"])("reads %j as empty", (body) => {
    expect(read(body)).toMatchObject({ items: [], skipped: 0 })
  })

  it("accepts empty payloads", () => {
    expect(payloads('{}\n{"type":"attachment","length":0}\n\n{"type":"attachment","length":0}')).toEqual([
      ["attachment", ""],
      ["attachment", ""],
    ])
    expect(payloads('{}\n{"type":"attachment"}')).toEqual([["attachment", ""]])
  })

  it("counts discarded items, and does not store them", () => {
    const item = (type: string, payload: string) => [{ type, extra: 1 }, payload] as const
    const body = envelope(
      { event_id: eventId, sent_at: "2025-06-03T12:00:00Z" },
      item("transaction", "x".repeat(1000)),
      item("event", '{"message":"a\\nb"}'),
      item("profile", "\n\n\n"),
      item("attachment", "1\n2"),
      item("made_up", ""),
    )
    const parsed = read(body)
    expect(parsed.skipped).toBe(3)
    const stored = storedEnvelope(body, parsed)
    expect(stored.includes("xxx")).toBe(false)
    expect(read(stored)).toMatchObject({ headers: parsed.headers, skipped: 0 })
    expect(payloads(stored)).toEqual(payloads(body))
    const kept = envelope({}, item("event", "{}"))
    expect(storedEnvelope(kept, read(kept))).toBe(kept)
  })

  it.each([
    ["a header that is no JSON", "nonsense\n"],
    ["a header that is no object", "[]\n"],
    ["duplicate keys", `{"event_id":"${eventId}","event_id":"${eventId}"}\n`],
    ["duplicate keys, one escaped", '{"a":1,"\\u0061":2}\n'],
    ["duplicate keys of an item", '{}\n{"type":"event","type":"event"}\n{}'],
    ["an item header that is no JSON", "{}\nnonsense\n{}"],
    ["an item without a type", '{}\n{"length":2}\n{}'],
    ["a type that is no string", '{}\n{"type":1}\n{}'],
    ["a length that is too long", '{}\n{"type":"event","length":3}\n{}'],
    ["a length that is too short", '{}\n{"type":"event","length":1}\n{}\n'],
    ["a length that is negative", '{}\n{"type":"event","length":-1}\n{}'],
    ["a length that is no integer", '{}\n{"type":"event","length":1.5}\n{}'],
    ["a length that is text", '{}\n{"type":"event","length":"2"}\n{}'],
    ["a length beyond the end", '{}\n{"type":"event","length":9e15}\n{}'],
    ["a missing payload", '{}\n{"type":"event","length":2}'],
    ["two events", '{}\n{"type":"event"}\n{}\n{"type":"event"}\n{}'],
  ])("refuses %s", (_, body) => {
    expect(reasonOf(body)).toBe("invalid_envelope")
  })

  it("distinguishes repeated keys from keys in nested objects and strings", () => {
    const headers = { a: { a: 1, b: [{ a: 2 }] }, b: 'a":{"a"\\', "c:": "\\" }
    expect(read(`${JSON.stringify(headers)}\n`).headers).toEqual(headers)
  })

  it("enforces the limits", () => {
    const items = (count: number, type: string) =>
      envelope({}, ...Array.from({ length: count }, () => [{ type }, "x"] as const))
    expect(read(items(16, "session")).skipped).toBe(16)
    expect(reasonOf(items(17, "session"))).toBe("too_large")
    expect(read(items(8, "attachment")).items).toHaveLength(8)
    expect(reasonOf(items(9, "attachment"))).toBe("too_large")
    const sized = (type: string, size: number) => envelope({}, [{ type }, Buffer.alloc(size, 97)])
    for (const type of ["event", "attachment", "user_report"]) {
      expect(read(sized(type, limits.maxEventBytes)).items).toHaveLength(1)
      expect(reasonOf(sized(type, limits.maxEventBytes + 1)), type).toBe("too_large")
    }
    expect(read(sized("transaction", 2 * limits.maxEventBytes)).skipped).toBe(1)
    const header = (size: number) => `{"a":"${"x".repeat(size - 8)}"}`
    expect(read(header(limits.maxHeaderLineBytes)).items).toEqual([])
    expect(reasonOf(header(limits.maxHeaderLineBytes + 1))).toBe("too_large")
    expect(reasonOf(`{}\n${header(limits.maxHeaderLineBytes + 1)}\n`)).toBe("too_large")
  })

  it("never throws on arbitrary bytes", () => {
    const line = fc.oneof(
      fc.constantFrom("{}", '{"type":"event"}', '{"type":"attachment","length":3}', "", "\r", "{", '"', "[]"),
      fc.json(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("latin1")),
    )
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom("\n", "\r\n", ""), (lines, separator) => {
        const body = Buffer.from(lines.join(separator), "latin1")
        const parsed = parseEnvelope(body, limits)
        if (Result.isFailure(parsed))
          expect(["invalid_envelope", "too_large"]).toContain(parsed.failure.reason)
        else expect(storedEnvelope(body, parsed.success).length).toBeLessThanOrEqual(body.length + 1)
      }),
      { seed: 1, numRuns: 1000 },
    )
  })

  const anyItem = fc.record({
    type: fc.constantFrom("event", "attachment", "feedback", "client_report", "session", "transaction"),
    payload: fc.uint8Array({ maxLength: 60 }),
  })
  const anyItems = fc
    .array(anyItem, { maxLength: 12 })
    .filter((items) => items.filter((item) => item.type === "event").length <= 1)
    .filter((items) => items.filter((item) => item.type === "attachment").length <= 8)

  it("reads the items that were written, also from the stored envelope", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), anyItems, (headers, items) => {
        const body = envelope(
          headers,
          ...items.map((item) => [{ type: item.type }, Buffer.from(item.payload)] as const),
        )
        const parsed = read(body)
        const kept = items.filter((item) => item.type !== "session" && item.type !== "transaction")
        expect(parsed.headers).toEqual(JSON.parse(JSON.stringify(headers)))
        expect(parsed.skipped).toBe(items.length - kept.length)
        for (const items of [parsed.items, read(storedEnvelope(body, parsed)).items]) {
          expect(items.map((item) => [item.type, [...item.payload]])).toEqual(
            kept.map((item) => [item.type, [...item.payload]]),
          )
        }
      }),
      { seed: 2, numRuns: 300 },
    )
  })

  it("refuses an envelope cut anywhere inside its last item", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), fc.nat(), (payload, cut) => {
        const body = envelope({}, [{ type: "event" }, Buffer.from(payload)])
        expect(reasonOf(body.subarray(0, body.length - 1 - (cut % payload.length)))).toBe("invalid_envelope")
      }),
      { seed: 3 },
    )
  })
})
