import { brotliCompressSync, gzipSync } from "node:zlib"
import { PendingPayloads } from "@errata/core/ports"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as BrokenStores from "./support/BrokenStores.js"
import { start, type TestInstance } from "./support/TestInstance.js"

const eventId = "0123456789abcdef0123456789abcdef"
let serial = 0
/** An event id that was not used before. */
const fresh = () => (++serial).toString(16).padStart(32, "a")

const event = (id = fresh()) => JSON.stringify({ event_id: id, message: "Hello" })
const envelope = (id = fresh(), header: Record<string, unknown> = {}) =>
  `${JSON.stringify({ event_id: id, ...header })}\n{"type":"event"}\n${event(id)}`

describe.each(["node", "web"] as const)("Ingest refusals (%s)", (transport) => {
  const failing: BrokenStores.Failing = { mode: "work" }
  let errata: TestInstance
  let auth: Record<string, string>
  let base: string
  let foreign: string

  beforeAll(async () => {
    errata = await start({ transport, dsnPrefixes: ["/sentry/", "deep/er"] }, BrokenStores.layer(failing))
    auth = {
      "x-sentry-auth": `Sentry sentry_version=7, sentry_client=test/1, sentry_key=${errata.mine.token}`,
    }
    base = `/api/${errata.mine.id}`
    foreign = `/api/${errata.theirs.id}`
  })
  afterAll(() => errata.stop())

  const post = (
    path: string,
    body: NonNullable<RequestInit["body"]>,
    headers: Record<string, string> = auth,
  ) => errata.fetch(path, { method: "POST", body, headers })
  const pending = () => errata.run(Effect.flatMap(PendingPayloads, ({ size }) => size))

  const expectCors = (headers: Headers) => {
    expect(headers.get("access-control-allow-origin")).toBe("*")
    expect(headers.get("access-control-expose-headers")).toBe(
      "x-sentry-error, x-sentry-rate-limits, retry-after",
    )
  }

  describe("refuses", () => {
    const refused = (answer: Awaited<ReturnType<typeof post>>, status: number, reason?: string) => {
      expect([answer.status, answer.headers.get("x-sentry-error")]).toEqual([
        status,
        reason ?? expect.any(String),
      ])
      expect(answer.headers.get("content-type")).toBe("application/json")
      expect(answer.json).toEqual({ detail: expect.any(String), causes: [expect.any(String)] })
      expectCors(answer.headers)
    }

    it("requests without a key", async () => {
      for (const path of [
        `${base}/envelope/`,
        `${base}/store/`,
        `${base}/security/`,
        `${base}/nel/`,
        "/api/store/",
      ]) {
        refused(await post(path, path.includes("envelope") ? envelope() : "{}", {}), 401, "missing_key")
      }
    })

    it("unknown keys, keys of other projects, and unknown projects", async () => {
      const unknown = { "x-sentry-auth": `Sentry sentry_key=${"0".repeat(32)}` }
      for (const path of [`${base}/envelope/`, `${base}/store/`, `${base}/security/`, "/api/store/"]) {
        refused(await post(path, envelope(), unknown), 403, "invalid_key")
      }
      for (const path of [
        `${foreign}/envelope/`,
        "/api/999999/envelope/",
        "/api/abc/envelope/",
        "/api/01x/store/",
        "/api/99999999999999999999/store/",
        "/api/%00/envelope/",
        "/api/-1/envelope/",
      ]) {
        refused(await post(path, envelope()), 403, "invalid_key")
      }
      const dsn = `https://${errata.mine.token}@errors.example/${errata.theirs.id}`
      refused(await post(`${base}/envelope/`, envelope(eventId, { dsn }), {}), 403, "conflicting_project")
      const wrong = `https://${"1".repeat(32)}@errors.example/${errata.mine.id}`
      refused(await post(`${base}/envelope/`, envelope(eventId, { dsn: wrong }), {}), 403, "invalid_key")
      // Nothing in it, and still not theirs to send.
      refused(await post(`${base}/envelope/`, "{}", unknown), 403, "invalid_key")
    })

    it("keys that contradict each other", async () => {
      const path = `${base}/envelope/?sentry_key=${errata.theirs.token}`
      refused(await post(path, envelope()), 400, "conflicting_keys")
    })

    it.each([
      ["envelope", "not json"],
      ["envelope", '{"a":1,"a":2}'],
      ["envelope", "[]"],
      ["envelope", '{}\n{"type":"event","length":5000}\n{}'],
      ["envelope", '{}\n{"type":"event","length":-1}\n{}'],
      ["envelope", '{}\n{"type":"event","length":1}\n{}'],
      ["envelope", "{}\n{}\n{}"],
      ["envelope", '{}\n{"type":"event"}\nnot json'],
      ["envelope", '{}\n{"type":"event"}\n{"message":"m","extra":{"a":1,}}'],
      ["envelope", '{}\n{"type":"event"}\n{"message":"m","extra":{"a":"b}}'],
      ["envelope", '{}\n{"type":"user_report"}\nnot json'],
      ["envelope", '{}\n{"type":"feedback"}\n[]'],
      ["envelope", '{}\n{"type":"client_report"}\nnull'],
      ["envelope", '{}\n{"type":"event"}\n{}\n{"type":"event"}\n{}'],
      ["envelope", "\u0000\u0001\u0002"],
      ["store", "not json"],
      ["store", "[1,2]"],
      ["store", '{"event_id":'],
      ["security", '{"no":"report"}'],
      ["security", "{"],
    ])("a malformed %s: %j", async (endpoint, body) => {
      const before = await pending()
      const headers = { ...auth, "content-type": "application/json" }
      refused(await post(`${base}/${endpoint}/`, body, headers), 400)
      expect(await pending()).toEqual(before)
    })

    it("malformed event ids", async () => {
      for (const id of ["abc", 5, "z".repeat(32), "0".repeat(33)]) {
        const body = JSON.stringify({ event_id: id, message: "x" })
        refused(await post(`${base}/store/`, body), 400, "invalid_event_id")
        const items = `${JSON.stringify({ event_id: id })}\n{"type":"event"}\n{}`
        refused(await post(`${base}/envelope/`, items), 400, "invalid_event_id")
      }
    })

    it("invalid and unknown encodings", async () => {
      for (const coding of ["gzip", "deflate", "br"]) {
        const headers = { ...auth, "content-encoding": coding }
        refused(await post(`${base}/envelope/`, "certainly not", headers), 400, "invalid_encoding")
        const cut = gzipSync(envelope()).subarray(0, 40)
        refused(await post(`${base}/envelope/`, new Uint8Array(cut), headers), 400, "invalid_encoding")
      }
      const headers = { ...auth, "content-encoding": "rot13" }
      refused(await post(`${base}/envelope/`, envelope(), headers), 415, "unknown_encoding")
    })

    it("security reports of another content type", async () => {
      const headers = { ...auth, "content-type": "text/html" }
      refused(await post(`${base}/security/`, "{}", headers), 415, "unsupported_media_type")
    })

    it("requests over a limit", async () => {
      const large = `{}\n{"type":"event"}\n{"x":"${"x".repeat(1024 * 1024)}"}`
      refused(await post(`${base}/envelope/`, large), 413, "too_large")
      refused(await post(`${base}/store/`, `{"x":"${"x".repeat(1024 * 1024)}"}`), 413, "too_large")
      refused(await post(`${base}/envelope/`, "x".repeat(9000)), 413, "too_large")
      refused(await post(`${base}/envelope/`, `{}${'\n{"type":"session"}\n{}'.repeat(17)}`), 413, "too_large")
    })

    it("bodies of more than 16 MiB, announced or not", async () => {
      const body = new Uint8Array(16 * 1024 * 1024 + 1)
      refused(await post(`${base}/envelope/`, body), 413, "too_large")
      const stream = new ReadableStream({
        start(controller) {
          for (let i = 0; i < 17; i++) controller.enqueue(new Uint8Array(1024 * 1024))
          controller.close()
        },
      })
      const init = { method: "POST", body: stream, headers: auth, duplex: "half" } as RequestInit
      refused(await errata.fetch(`${base}/envelope/`, init), 413, "too_large")
      const { status } = await post(`${base}/envelope/`, envelope())
      expect(status).toBe(200)
    })

    it("compression bombs", async () => {
      const bomb = new Uint8Array(gzipSync(Buffer.alloc(64 * 1024 * 1024)))
      for (const [body, coding] of [
        [bomb, "gzip"],
        [new Uint8Array(gzipSync(bomb)), "gzip, gzip"],
        [new Uint8Array(brotliCompressSync(Buffer.alloc(32 * 1024 * 1024))), "br"],
      ] as const) {
        refused(
          await post(`${base}/envelope/`, body, { ...auth, "content-encoding": coding }),
          413,
          "too_large",
        )
      }
    })

    it("other methods", async () => {
      for (const [path, allow] of [
        [`${base}/envelope/`, "POST, OPTIONS"],
        [`${base}/store/`, "GET, POST, OPTIONS"],
        [`${base}/security/`, "POST, OPTIONS"],
        ["/sentry/api/1/envelope", "POST, OPTIONS"],
      ]) {
        for (const method of ["GET", "HEAD", "PUT", "DELETE", "PATCH"]) {
          const answer = await errata.fetch(path!, { method })
          expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, allow])
          expectCors(answer.headers)
          if (method === "HEAD") expect(answer.text).toBe("")
        }
      }
    })

    it("everything while the storage is unavailable", async () => {
      failing.mode = "unavailable"
      const answer = await post(`${base}/envelope/`, envelope())
      failing.mode = "work"
      refused(answer, 503, "unavailable")
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
      expect(answer.text).not.toContain("secret")
      expect((await post(`${base}/envelope/`, envelope())).status).toBe(200)
    })

    it("requests that fail unexpectedly, with a correlation id", async () => {
      failing.mode = "throw"
      const answer = await post(`${base}/envelope/`, envelope())
      failing.mode = "work"
      expect(answer.status).toBe(500)
      expect(answer.headers.get("content-type")).toBe("application/problem+json")
      expect(answer.json).toEqual({
        type: "about:blank",
        title: "Internal Server Error",
        status: 500,
        correlation_id: expect.any(String),
      })
      expectCors(answer.headers)
      expect(errata.logs.filter((line) => line.includes(answer.json.correlation_id))).toHaveLength(1)
      expect((await post(`${base}/envelope/`, envelope())).status).toBe(200)
    })
  })

  it("logs no content of requests", () => {
    expect(errata.logs.join("\n")).not.toContain(errata.mine.token)
    expect(errata.logs.join("\n")).not.toContain("Hello")
  })
})
