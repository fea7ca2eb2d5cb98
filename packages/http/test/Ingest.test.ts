import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib"
import { PendingPayloads } from "@errata/core/ports"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { start, type TestInstance } from "./support/TestInstance.js"

let serial = 0
/** An event id that was not used before. */
const fresh = () => (++serial).toString(16).padStart(32, "a")

const event = (id = fresh()) => JSON.stringify({ event_id: id, message: "Hello" })
const envelope = (id = fresh(), header: Record<string, unknown> = {}) =>
  `${JSON.stringify({ event_id: id, ...header })}\n{"type":"event"}\n${event(id)}`

describe.each(["node", "web"] as const)("Ingest (%s)", (transport) => {
  let errata: TestInstance
  let auth: Record<string, string>
  let base: string

  beforeAll(async () => {
    errata = await start({ transport, dsnPrefixes: ["/sentry/", "deep/er"] })
    auth = {
      "x-sentry-auth": `Sentry sentry_version=7, sentry_client=test/1, sentry_key=${errata.mine.token}`,
    }
    base = `/api/${errata.mine.id}`
  })
  afterAll(() => errata.stop())

  const post = (
    path: string,
    body: NonNullable<RequestInit["body"]>,
    headers: Record<string, string> = auth,
  ) => errata.fetch(path, { method: "POST", body, headers })
  const pending = () => errata.run(Effect.flatMap(PendingPayloads, ({ size }) => size))
  const stored = async (id: string) => {
    await errata.record()
    return (await errata.api(`/projects/${errata.mine.id}/reports/${id}`)).status === 200
  }

  const expectCors = (headers: Headers) => {
    expect(headers.get("access-control-allow-origin")).toBe("*")
    expect(headers.get("access-control-expose-headers")).toBe(
      "x-sentry-error, x-sentry-rate-limits, retry-after",
    )
  }

  describe("accepts", () => {
    it.each([
      ["/api/{p}/envelope/", envelope],
      ["/api/{p}/envelope", envelope],
      ["/sentry/api/{p}/envelope/", envelope],
      ["/deep/er/api/{p}/envelope", envelope],
      ["/api/{p}/store/", event],
      ["/api/{p}/store", event],
      ["/sentry/api/{p}/store/", event],
      ["/api/store/", event],
      ["/api/store", event],
    ])("%s", async (path, body) => {
      const id = fresh()
      const answer = await post(path.replace("{p}", String(errata.mine.id)), body(id))
      expect(answer.status).toBe(200)
      expect(answer.headers.get("content-type")).toBe("application/json")
      expect(answer.headers.get("retry-after")).toBeNull()
      expect(answer.text).toBe(`{"id":"${id}"}`)
      expectCors(answer.headers)
      expect(await stored(id)).toBe(true)
    })

    it("the key in the query, in a header, and as the user of Basic authentication", async () => {
      const { token } = errata.mine
      for (const [query, headers] of [
        [`?sentry_key=${token}&sentry_version=7`, {}],
        ["", { authorization: `Sentry sentry_key=${token}` }],
        ["", { authorization: `Basic ${btoa(`${token}:`)}` }],
        ["", { "x-sentry-auth": `sentry sentry_key=${token},sentry_version=7` }],
        [`?sentry_key=${token}`, auth],
      ] as Array<[string, Record<string, string>]>) {
        const id = fresh()
        expect((await post(`${base}/envelope/${query}`, envelope(id), headers)).json).toEqual({ id })
      }
    })

    it("the key in the DSN of the envelope", async () => {
      const id = fresh()
      const dsn = `https://${errata.mine.token}@errors.example/${errata.mine.id}`
      const answer = await post(`${base}/envelope/`, envelope(id, { dsn }), {})
      expect([answer.status, answer.json]).toEqual([200, { id }])
    })

    it("any content type and none", async () => {
      for (const type of ["text/plain;charset=UTF-8", "application/x-sentry-envelope", "image/png", "?"]) {
        const id = fresh()
        const headers = { ...auth, "content-type": type }
        expect((await post(`${base}/envelope/`, envelope(id), headers)).json).toEqual({ id })
      }
      const id = fresh()
      // Bytes have no media type.
      expect((await post(`${base}/store/`, new TextEncoder().encode(event(id)))).json).toEqual({ id })
    })

    it.each([
      ["gzip", gzipSync],
      ["x-gzip", gzipSync],
      ["deflate", deflateSync],
      ["deflate", deflateRawSync],
      ["br", brotliCompressSync],
      ["GZIP", gzipSync],
      ["zstd", (body: string) => zstdCompressSync(Buffer.from(body))],
      ["identity", (body: string) => Buffer.from(body)],
      ["UTF-8", (body: string) => Buffer.from(body)],
      ["", (body: string) => Buffer.from(body)],
    ] as Array<[string, (body: string) => Buffer]>)("the coding %j", async (coding, encode) => {
      const id = fresh()
      const headers = { ...auth, "content-encoding": coding }
      const answer = await post(`${base}/envelope/`, new Uint8Array(encode(envelope(id))), headers)
      expect([answer.status, answer.json]).toEqual([200, { id }])
      expect(await stored(id)).toBe(true)
    })

    it("large bodies that are decoded off the event loop", async () => {
      const ids = Array.from({ length: 12 }, fresh)
      const answers = await Promise.all(
        ids.map((id) => {
          const large = JSON.stringify({ event_id: id, message: "large", extra: { x: "x".repeat(600_000) } })
          return post(`${base}/store/`, new Uint8Array(gzipSync(large)), {
            ...auth,
            "content-encoding": "gzip",
          })
        }),
      )
      expect(answers.map(({ json }) => json)).toEqual(ids.map((id) => ({ id })))
      for (const id of ids) expect(await stored(id)).toBe(true)
    })

    it("store bodies in base64, deflated or not", async () => {
      for (const encode of [
        (body: string) => Buffer.from(body).toString("base64"),
        (body: string) => deflateSync(body).toString("base64"),
      ]) {
        const id = fresh()
        expect((await post(`${base}/store/`, encode(event(id)))).json).toEqual({ id })
        expect(await stored(id)).toBe(true)
      }
    })

    it("an event twice, and records it once", async () => {
      const id = fresh()
      const body = envelope(id)
      const answers = await Promise.all([1, 2, 3].map(() => post(`${base}/envelope/`, body)))
      expect(answers.map(({ json }) => json)).toEqual([{ id }, { id }, { id }])
      await errata.record()
      const report = (await errata.api(`/projects/${errata.mine.id}/reports/${id}`)).json
      expect(report.event_id).toBe(id)
    })

    it("an event without an id, and assigns one", async () => {
      const answer = await post(`${base}/store/`, '{"message":"no id"}')
      expect(answer.json.id).toMatch(/^[0-9a-f]{32}$/)
      expect(await stored(answer.json.id)).toBe(true)
    })

    it("ids with dashes and in upper case", async () => {
      const answer = await post(`${base}/store/`, event("AAAAAAAA-0000-4000-8000-00000000BEEF"))
      expect(answer.json).toEqual({ id: "aaaaaaaa00004000800000000000beef" })
    })

    it("feedback without an event, as a report of its own", async () => {
      const id = fresh()
      const said = { message: "The button does nothing", contact_email: "ada@example.test", name: "Ada" }
      const feedback = JSON.stringify({ event_id: id, type: "feedback", contexts: { feedback: said } })
      const screenshot = '{"type":"attachment","length":3,"filename":"screenshot.png"}\npng'
      const body = `{"event_id":"${id}"}\n{"type":"feedback"}\n${feedback}\n${screenshot}`
      expect((await post(`${base}/envelope/`, body)).json).toEqual({ id })
      const old = await post(`${base}/envelope/`, '{}\n{"type":"user_report"}\n{"comments":"Oh"}')
      await errata.record()
      const report = (await errata.api(`/projects/${errata.mine.id}/reports/${id}`)).json
      expect(report).toMatchObject({
        error_type: "User Feedback",
        error_message: "The button does nothing",
        severity: "info",
        user: { email: "ada@example.test", username: "Ada" },
        attachments: [{ filename: "screenshot.png" }],
      })
      const other = (await errata.api(`/projects/${errata.mine.id}/reports/${old.json.id}`)).json
      expect(other).toMatchObject({ error_type: "User Feedback", error_message: "Oh" })
      expect(other.group_id).not.toBe(report.group_id)
    })

    it("items that are not stored", async () => {
      const before = await pending()
      for (const [path, body] of [
        [`${base}/envelope/`, ""],
        [`${base}/envelope/`, "{}"],
        [`${base}/envelope/`, '{}\n{"type":"session"}\n{"status":"ok"}'],
        [`${base}/envelope/`, '{}\n{"type":"transaction"}\n{}\n{"type":"unheard_of"}\n{}'],
        [`${base}/store/`, ""],
        [`${base}/security/`, ""],
      ] as const) {
        const answer = await post(path, body)
        expect([body, answer.status, answer.text]).toEqual([body, 200, "{}"])
        expectCors(answer.headers)
      }
      expect(await pending()).toEqual(before)
    })

    it("security reports", async () => {
      const { token } = errata.mine
      const csp = JSON.stringify({
        "csp-report": {
          "document-uri": "https://shop.example/",
          "effective-directive": "img-src",
          "violated-directive": "img-src",
          "blocked-uri": "https://evil.example/x.png",
        },
      })
      for (const path of ["security/", "security", "csp-report/"]) {
        const answer = await post(`${base}/${path}?sentry_key=${token}&sentry_environment=web`, csp, {
          "content-type": "application/csp-report",
        })
        expect(answer.status).toBe(200)
        await errata.record()
        const report = (await errata.api(`/projects/${errata.mine.id}/reports/${answer.json.id}`)).json
        expect(report).toMatchObject({ environment: "web", security_report: { kind: "csp" } })
      }
      const nel = JSON.stringify([
        {
          type: "network-error",
          age: 1,
          url: "https://shop.example/",
          body: { type: "tcp.refused", phase: "connection" },
        },
      ])
      const answer = await post(`${base}/nel/?sentry_key=${token}`, nel, {
        "content-type": "application/reports+json",
      })
      expect(answer.status).toBe(200)
      expect(await stored(answer.json.id)).toBe(true)
    })

    it("an event in the URL of an image", async () => {
      const id = fresh()
      const get = (query: string) => errata.fetch(`${base}/store/?${query}`)
      const data = encodeURIComponent(event(id))
      const answer = await get(`sentry_key=${errata.mine.token}&sentry_data=${data}`)
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/gif"])
      expect(answer.text).toMatch(/^GIF89a/)
      expectCors(answer.headers)
      expect(await stored(id)).toBe(true)
      expect((await get(`sentry_data=${data}`)).status).toBe(401)
      expect((await get(`sentry_key=${errata.mine.token}&sentry_data=!`)).status).toBe(400)
      expect((await get(`sentry_key=${errata.mine.token}`)).status).toBe(405)
    })
  })

  it("answers preflights of every endpoint", async () => {
    for (const path of ["envelope/", "envelope", "store/", "security/", "csp-report/", "nel/"]) {
      const answer = await errata.fetch(`${base}/${path}`, {
        method: "OPTIONS",
        headers: {
          origin: "https://app.example",
          "access-control-request-method": "POST",
          "access-control-request-headers": "x-sentry-auth, sentry-trace, baggage",
        },
      })
      expect([answer.status, answer.text]).toEqual([204, ""])
      expectCors(answer.headers)
      expect(answer.headers.get("access-control-allow-methods")).toBe("GET, POST, OPTIONS")
      expect(answer.headers.get("access-control-max-age")).toBe("3600")
      for (const name of ["x-sentry-auth", "content-type", "authorization", "content-encoding", "baggage"]) {
        expect(answer.headers.get("access-control-allow-headers")).toContain(name)
      }
    }
  })

  it("logs no content of requests", () => {
    expect(errata.logs.join("\n")).not.toContain(errata.mine.token)
    expect(errata.logs.join("\n")).not.toContain("Hello")
  })
})
