import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { maxReportsPerRequest, parseSecurityReports } from "../src/SecurityReports.js"
import { decodeSentryPayload } from "../src/SentryPayloadDecoder.js"
import { accept, eventId, expectBounded, limits, projectId, receivedAt, recordedEvent } from "./support.js"

const csp = {
  "csp-report": {
    "document-uri": "https://shop.example/cart",
    "effective-directive": "script-src",
    "violated-directive": "script-src 'self'",
    "blocked-uri": "https://cdn.example/x.js",
  },
}

const parse = (value: unknown, contentType?: string, query = "") =>
  parseSecurityReports(
    { contentType, userAgent: "Browser/1", query, body: Buffer.from(JSON.stringify(value)) },
    limits,
  )
const read = (...args: Parameters<typeof parse>) => Result.getOrThrow(parse(...args))
const reasonOf = (...args: Parameters<typeof parse>) => Result.getOrThrow(Result.flip(parse(...args))).reason

const recorded = (value: unknown, query = "") =>
  recordedEvent(Result.getOrThrow(accept({ endpoint: "security", body: JSON.stringify(value), query })))

describe("SecurityReports", () => {
  it("reads a CSP report, with release and environment from the query", () => {
    expect(read(csp, "application/csp-report", "sentry_release=1.2&sentry_environment=prod")).toEqual([
      {
        kind: "csp",
        url: "https://shop.example/cart",
        user_agent: "Browser/1",
        release: "1.2",
        environment: "prod",
        age: 0,
        data: csp["csp-report"],
      },
    ])
  })

  it.each([
    ["expect-ct", { "expect-ct-report": { hostname: "a.example" } }],
    ["expect-staple", { "expect-staple-report": { hostname: "a.example" } }],
    ["hpkp", { hostname: "a.example", "known-pins": ["pin"] }],
    ["nel", { type: "network-error", age: 5, url: "https://a.example/", body: { type: "dns.unreachable" } }],
    ["csp", { type: "csp-violation", url: "https://a.example/", body: { effectiveDirective: "img-src" } }],
    ["deprecation", { type: "deprecation", url: "https://a.example/", body: { id: "WebSQL" } }],
  ])("reads %s", (kind, report) => {
    expect(read(report)[0]!.kind).toBe(kind)
  })

  it.each([
    undefined,
    "application/json",
    "application/csp-report; charset=utf-8",
    "Application/Expect-CT-Report+json",
    "application/expect-ct-report",
    "application/expect-staple-report",
    "application/expect-staple-report+json",
    "application/reports+json",
  ])("accepts the content type %s", (contentType) => {
    expect(read(csp, contentType)).toHaveLength(1)
  })

  it("rejects other content types and unknown reports", () => {
    expect(reasonOf(csp, "text/html")).toBe("unsupported_media_type")
    for (const value of [{}, [1], { "csp-report": 1 }, { type: "x", body: [] }, 5]) {
      expect(reasonOf(value)).toBe("invalid_report")
    }
    const tooMany = Array.from({ length: maxReportsPerRequest + 1 }, () => csp)
    expect(reasonOf(tooMany)).toBe("too_large")
    expect(Result.getOrThrow(Result.flip(accept({ endpoint: "security", body: "{" }))).reason).toBe(
      "invalid_json",
    )
  })

  it("stores every report of a list as an event of its own", () => {
    let count = 0
    const report = (n: number) => ({
      type: "network-error",
      age: 1000,
      url: `https://a.example/${n}`,
      body: { type: "tcp.reset" },
    })
    const accepted = Result.getOrThrow(
      accept({ endpoint: "nel", body: JSON.stringify([report(1), report(2), report(3)]) }),
    )
    for (const payload of accepted.payloads) {
      const { event } = Result.getOrThrow(decodeSentryPayload({ ...payload, projectId, receivedAt }, limits))
      expectBounded(event!)
      expect(event!.occurredAt).toBe(receivedAt - 1000)
      expect(event!.details.security_report).toMatchObject({ kind: "nel", directive: "tcp.reset" })
      expect(event!.details.request.url).toBe(`https://a.example/${++count}`)
    }
    expect(count).toBe(3)
  })

  it("records the violated directive and the blocked URL", () => {
    const event = recorded(csp, "sentry_release=1.2&sentry_environment=prod")
    expect(event).toMatchObject({
      release: "1.2",
      environment: "prod",
      occurredAt: receivedAt,
      severity: "error",
    })
    expect(event.details.security_report).toEqual({
      kind: "csp",
      directive: "script-src",
      blocked: "https://cdn.example/x.js",
      data: csp["csp-report"],
    })
    expect(
      recorded({ "csp-report": { violated_directive: "img-src 'self'", blocked_uri: "data" } }).details
        .security_report,
    ).toMatchObject({ directive: "img-src", blocked: "data" })
    expect(
      recorded({
        type: "csp-violation",
        url: "u",
        body: { effectiveDirective: "img-src", blockedURL: "eval" },
      }).details.security_report,
    ).toMatchObject({ directive: "img-src", blocked: "eval" })
    expect(recorded({ "expect-ct-report": { hostname: "a.example" } }).details.security_report).toMatchObject(
      {
        directive: "expect-ct",
        blocked: "a.example",
      },
    )
  })

  it("reads the reports that old clients put into events", () => {
    const body = JSON.stringify({
      event_id: eventId,
      "sentry.interfaces.Csp": { effective_directive: "img-src" },
    })
    const event = recordedEvent(Result.getOrThrow(accept({ endpoint: "store", body })))
    expect(event.details.security_report).toMatchObject({ kind: "csp", directive: "img-src" })
  })

  it("handles very deep nesting", () => {
    const deep = `{"csp-report":{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}}`
    const event = recordedEvent(Result.getOrThrow(accept({ endpoint: "security", body: deep })))
    expectBounded(event)
  })
})
