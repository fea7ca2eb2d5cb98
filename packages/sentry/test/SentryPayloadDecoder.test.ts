import { it as effectIt } from "@effect/vitest"
import { GroupingV2 } from "@errata/core/internal"
import { type Payload, PayloadDecoder, titleOf } from "@errata/core/ports"
import { Effect, Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { SentryPayloadDecoder } from "../src/index.js"
import { decodeSentryPayload } from "../src/SentryPayloadDecoder.js"
import { envelope, eventId, expectBounded, limits, projectId, receivedAt } from "./support.js"

const other = "0".repeat(31)

const payload = (kind: string, body: string | Buffer): Payload => ({
  projectId,
  eventId,
  kind,
  receivedAt,
  body: new Uint8Array(Buffer.from(body as Buffer)),
})

const read = (kind: string, body: string | Buffer) =>
  Result.getOrThrow(decodeSentryPayload(payload(kind, body), limits))

const reasonOf = (kind: string, body: string | Buffer) =>
  Result.getOrThrow(Result.flip(decodeSentryPayload(payload(kind, body), limits))).reason

describe("SentryPayloadDecoder", () => {
  effectIt.effect("is the core's PayloadDecoder", () =>
    Effect.gen(function* () {
      const decoder = yield* PayloadDecoder
      const decoded = yield* Effect.fromResult(decoder.decode(payload("event", '{"message":"m"}')))
      expect(decoded.event?.details.logentry?.formatted).toBe("m")
    }).pipe(Effect.provide(SentryPayloadDecoder.layer())),
  )

  it("reads an event with the accepted id and a corrected time", () => {
    const sentAt = new Date(receivedAt - 3_600_000).toISOString()
    const event = { event_id: `${other}1`, timestamp: (receivedAt - 3_605_000) / 1000, message: "m" }
    const decoded = read(
      "envelope",
      envelope({ sent_at: sentAt }, [{ type: "event" }, JSON.stringify(event)]),
    )
    expect(decoded.event).toMatchObject({ eventId, occurredAt: receivedAt - 5000 })
  })

  it("reads attachments", () => {
    const body = Buffer.from([0, 1, 10, 255])
    const decoded = read(
      "envelope",
      envelope(
        {},
        [
          {
            type: "attachment",
            filename: "a\0.bin",
            content_type: "image/png",
            attachment_type: "event.minidump",
          },
          body,
        ],
        [{ type: "attachment", filename: 5 }, "x"],
        [{ type: "attachment" }, ""],
      ),
    )
    expect(decoded.event).toBeNull()
    expect(decoded.attachments.map(({ body, ...rest }) => ({ ...rest, body: [...body] }))).toEqual([
      { filename: "a.bin", contentType: "image/png", type: "event.minidump", body: [...body] },
      { filename: "5", contentType: "application/octet-stream", type: "event.attachment", body: [120] },
      { filename: "attachment", contentType: "application/octet-stream", type: "event.attachment", body: [] },
    ])
  })

  it("reads user feedback in the old and the new form", () => {
    const report = { event_id: `${other}1`, name: "A", email: "a@b.example", comments: "broken\0" }
    const context = {
      associated_event_id: `${other}2`,
      name: "B",
      contact_email: "b@b.example",
      message: "too",
    }
    const decoded = read(
      "envelope",
      envelope(
        {},
        [{ type: "user_report" }, JSON.stringify(report)],
        [{ type: "feedback" }, JSON.stringify({ contexts: { feedback: context } })],
        [{ type: "user_report" }, "{}"],
        [{ type: "feedback" }, '{"contexts":null}'],
      ),
    )
    expect(decoded.event).toBeNull()
    expect(decoded.feedback.map(({ ownEvent, ...rest }) => rest)).toEqual([
      { eventId: `${other}1`, name: "A", email: "a@b.example", comments: "broken" },
      { eventId: `${other}2`, name: "B", email: "b@b.example", comments: "too" },
    ])
  })

  it("links feedback to the event next to it, or with its id", () => {
    const said = JSON.stringify({ comments: "mine" })
    const feedback = JSON.stringify({ contexts: { feedback: { message: "mine too" } } })
    const beside = read(
      "envelope",
      envelope(
        {},
        [{ type: "event" }, '{"message":"m"}'],
        [{ type: "user_report" }, said],
        [{ type: "feedback" }, feedback],
      ),
    )
    expect(beside.event?.details.logentry?.formatted).toBe("m")
    expect(beside.feedback).toEqual([
      { eventId, name: "", email: "", comments: "mine" },
      { eventId, name: "", email: "", comments: "mine too" },
    ])
    const named = read("envelope", envelope({ event_id: `${other}5` }, [{ type: "user_report" }, said]))
    expect(named.event).toBeNull()
    expect(named.feedback).toMatchObject([{ eventId: `${other}5`, comments: "mine" }])
  })

  it("creates a report of feedback without an event", () => {
    const widget = {
      event_id: eventId,
      type: "feedback",
      level: "info",
      timestamp: (receivedAt - 5000) / 1000,
      platform: "javascript",
      release: "1.2",
      tags: { area: "cart" },
      user: { id: "7" },
      contexts: {
        feedback: {
          message: "The button does nothing\0",
          name: "Ada",
          contact_email: "ada@example.test",
          url: "https://shop.example/cart",
          source: "widget",
        },
      },
    }
    const decoded = read(
      "envelope",
      envelope(
        { event_id: eventId },
        [{ type: "feedback" }, JSON.stringify(widget)],
        [{ type: "attachment", filename: "screenshot.png" }, "png"],
      ),
    )
    const event = decoded.event!
    expectBounded(event)
    expect(titleOf(event)).toMatchObject({
      errorType: "User Feedback",
      errorMessage: "The button does nothing",
    })
    expect(event).toMatchObject({
      eventId,
      occurredAt: receivedAt - 5000,
      severity: "info",
      handled: true,
      platform: "javascript",
      release: "1.2",
      tags: [
        { key: "area", value: "cart" },
        { key: "user.id", value: "7" },
        { key: "user.email", value: "ada@example.test" },
      ],
    })
    expect(event.details.user).toMatchObject({ user_id: "7", username: "Ada", email: "ada@example.test" })
    expect(event.details.request.url).toBe("https://shop.example/cart")
    expect(event.details.contexts[0]).toMatchObject({ name: "feedback", data: { source: "widget" } })
    expect(event.details.custom_fingerprint).toEqual(["user-feedback", eventId])
    expect(decoded.feedback).toEqual([])
    expect(decoded.attachments).toHaveLength(1)

    const report = { name: "Ada", email: "ada@example.test", comments: "Oh" }
    const old = read("envelope", envelope({}, [{ type: "user_report" }, JSON.stringify(report)]))
    expect(titleOf(old.event!)).toMatchObject({ errorType: "User Feedback", errorMessage: "Oh" })
    expect(old.event).toMatchObject({ eventId, severity: "info", occurredAt: receivedAt })
    expect(old.event!.details.user).toMatchObject({ username: "Ada", email: "ada@example.test" })
  })

  it("creates one report of several feedback items without an event, and keeps all texts", () => {
    const said = (message: string) =>
      [{ type: "feedback" }, JSON.stringify({ contexts: { feedback: { message } } })] as const
    const decoded = read("envelope", envelope({ event_id: eventId }, said("one"), said("two"), said("")))
    expect(titleOf(decoded.event!).errorMessage).toBe("one")
    expect(decoded.feedback).toEqual([{ eventId, name: "", email: "", comments: "two" }])
  })

  it("ignores empty feedback, but keeps its attachments", () => {
    const silent = [{ type: "feedback" }, '{"contexts":{"feedback":{"message":""}}}'] as const
    expect(read("envelope", envelope({ event_id: eventId }, silent))).toEqual({
      event: null,
      attachments: [],
      feedback: [],
      discarded: [],
    })
    const screenshot = [{ type: "attachment", filename: "screenshot.png" }, "png"] as const
    const decoded = read("envelope", envelope({ event_id: eventId }, silent, screenshot))
    expect(titleOf(decoded.event!)).toMatchObject({ errorType: "User Feedback", errorMessage: "" })
  })

  it("prepares a report of feedback whose event never arrives", () => {
    const report = { event_id: `${other}1`, name: "Ada", email: "", comments: "Oh" }
    const context = { associated_event_id: `${other}2`, message: "too", url: "https://shop.example/" }
    const decode = () =>
      read(
        "envelope",
        envelope(
          { event_id: eventId },
          [{ type: "user_report" }, JSON.stringify(report)],
          [{ type: "feedback" }, JSON.stringify({ event_id: eventId, contexts: { feedback: context } })],
        ),
      ).feedback
    const [old, recent] = decode()
    for (const { ownEvent } of [old!, recent!]) expectBounded(ownEvent!)
    expect(titleOf(old!.ownEvent!)).toMatchObject({ errorType: "User Feedback", errorMessage: "Oh" })
    expect(titleOf(recent!.ownEvent!)).toMatchObject({ errorType: "User Feedback", errorMessage: "too" })
    expect(recent!.ownEvent!.eventId).toBe(eventId)
    // The event may still arrive, and must not be taken for a duplicate.
    expect(old!.ownEvent!.eventId).not.toBe(old!.eventId)
    expect(decode()).toEqual([old, recent])
    expect(GroupingV2.group(old!.ownEvent!).key).not.toBe(GroupingV2.group(recent!.ownEvent!).key)
  })

  it("reads any JSON as feedback, within the limits", () => {
    fc.assert(
      fc.property(fc.constantFrom("user_report", "feedback"), fc.jsonValue(), (type, value) => {
        const context = { message: "m", ...(value as object), name: value, url: value }
        const item = {
          contexts: { feedback: context, other: value },
          user: value,
          request: value,
          tags: value,
        }
        const body = { ...item, comments: "m", email: value, exception: value, level: value }
        const decoded = read("envelope", envelope({}, [{ type }, JSON.stringify(body)]))
        const events = [decoded.event, ...decoded.feedback.map(({ ownEvent }) => ownEvent ?? null)]
        expect(events.some((event) => event !== null)).toBe(true)
        for (const event of events) if (event !== null) expectBounded(event)
      }),
      { seed: 9, numRuns: 300 },
    )
  })

  it("reads counts of events that clients discarded", () => {
    const discarded_events = [
      { reason: "network_error", category: "error", quantity: 3 },
      { reason: "x".repeat(500), category: null, quantity: 1 },
      { reason: "a", category: "error", quantity: -1 },
      { reason: "a", category: "error", quantity: "5" },
      null,
    ]
    const decoded = read(
      "envelope",
      envelope({}, [{ type: "client_report" }, JSON.stringify({ discarded_events })]),
    )
    expect(decoded.discarded).toEqual([
      { reason: "network_error", category: "error", quantity: 3 },
      { reason: "x".repeat(200), category: "", quantity: 1 },
    ])
  })

  it("keeps the event if another item is malformed", () => {
    const decoded = read(
      "envelope",
      envelope({}, [{ type: "event" }, '{"message":"m"}'], [{ type: "user_report" }, "nonsense"]),
    )
    expect(decoded.event).not.toBeNull()
    expect(decoded.feedback).toEqual([])
  })

  it.each([
    ["event", "nonsense"],
    ["event", "[]"],
    ["security", "[]"],
    ["security", '{"kind":"csp"}'],
    ["envelope", '{}\n{"type":"event"}\nnonsense'],
    ["envelope", '{}\n{"type":"client_report"}\nnonsense'],
    ["envelope", '{}\n{"type":"event","length":5}\n{}'],
    ["of the future", "{}"],
  ])("refuses %s %j with a reason", (kind, body) => {
    expect(reasonOf(kind, body)).not.toBe("")
  })

  it("removes NULs and lone surrogates in escapes", () => {
    const text = '"a\\u0000b\\uD800c\\udc00d\\ud83d\\ude00"'
    const inner = JSON.stringify(`{"k":${text}}`)
    const { event } = read(
      "event",
      `{"message":${text},"extra":{${text}:${text}},"request":{"data":${inner}}}`,
    )
    expectBounded(event!)
    expect(event!.details.logentry!.formatted).toBe("ab\ufffdc\ufffdd\ud83d\ude00")
    expect(event!.details.request.data).toEqual({ k: "ab\ufffdc\ufffdd\ud83d\ude00" })
  })

  it("creates no lone surrogate when it cuts a parameter", () => {
    const logentry = { message: "%s%s", params: [`${"x".repeat(8191)}\u{1f600}`, "y"] }
    const { event } = read("event", JSON.stringify({ logentry }))
    expectBounded(event!)
    expect(event!.details.logentry!.formatted).toBe("x".repeat(8191))
  })

  it("bounds and cleans any UTF-16 text", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string16bits(), fc.string16bits()), (extra) => {
        expectBounded(read("event", JSON.stringify({ extra, message: Object.keys(extra)[0] })).event!)
      }),
      { seed: 7 },
    )
  })

  it("never throws on arbitrary bytes", () => {
    fc.assert(
      fc.property(fc.constantFrom("event", "envelope", "security", ""), fc.uint8Array(), (kind, bytes) => {
        const decoded = decodeSentryPayload(payload(kind, Buffer.from(bytes)), limits)
        expect(Result.isResult(decoded)).toBe(true)
      }),
      { seed: 8, numRuns: 500 },
    )
  })
})
