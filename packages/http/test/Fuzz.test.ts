/** Random requests, the same in every run. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { RawSocket } from "./support/RawSocket.js"
import { adminKey, start, type TestInstance } from "./support/TestInstance.js"

const methods = ["GET", "POST", "DELETE", "HEAD", "PUT", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "PURGE"]

const parts = [
  ..."/?&=;#:*{|'",
  "//",
  "..",
  "\\",
  "%",
  "%zz",
  "%00",
  "%2f",
  "%25",
  "%c3%28",
  "/projects",
  "/groups",
  "/resolve",
  "/envelope/",
  "?cursor=",
  "?limit=1",
  "&limit=2",
  "?query=is:",
  "?query=%22",
  "?since=2025-01-01",
  "?name=%00",
  "?sentry_data=",
  "&sentry_version=99",
  "__proto__",
  "constructor",
  "/-1",
  "/1e9",
  "/99999999999999999999",
  "x".repeat(200),
]

const bodies = [
  "",
  "{}",
  "[]",
  "null",
  "{",
  "\0",
  '{"name":{}}',
  '{"__proto__":1,"occurrences":{}}',
  "a=b",
  "\xff\xfe",
]

const types = ["application/json", "text/plain", "application/csp-report", "multipart/form-data", ";"]

const codings = ["gzip", "br", "zstd", "deflate", "x", "gzip,gzip", ""]

const randomOf = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe("a server that is sent anything", () => {
  let errata: TestInstance
  beforeAll(async () => {
    errata = await start()
  })
  afterAll(() => errata.stop())

  it.each([1, 2, 3, 4])("answers all of it, and never with 5xx (seed %i)", async (seed) => {
    const random = randomOf(seed)
    const pick = (from: ReadonlyArray<string>) => from[random(from.length)]!
    const { group_id } = await errata.report({ message: "there" })
    const project = `/api/service/v1/projects/${errata.mine.id}`
    const ingest = `/api/${errata.mine.id}`
    const key = `?sentry_key=${errata.mine.token}`
    const bases = [
      "/",
      "/up",
      "/api/service/v1/projects",
      `${project}/groups`,
      `${project}/groups/${group_id}`,
      `${project}/groups/${group_id}/mute`,
      `${project}/groups/${group_id}/reports`,
      `${project}/reports/${"a".repeat(32)}`,
      `${ingest}/store/${key}`,
      `${ingest}/envelope/${key}`,
      `${ingest}/security/${key}`,
      `${ingest}/envelope/`,
    ]
    const statuses = new Map<number, string>()
    for (let connection = 0; connection < 10; connection++) {
      const requests = Array.from({ length: 50 }, () => {
        const method = pick(methods)
        const path = pick(bases) + Array.from({ length: random(4) }, () => pick(parts)).join("")
        const body = ["GET", "HEAD", "TRACE"].includes(method) ? "" : pick(bodies)
        const lines = [
          `${method} ${path} HTTP/1.1`,
          "host: localhost",
          `content-type: ${pick(types)}`,
          `content-length: ${body.length}`,
          ...(random(4) === 0 ? [] : [`authorization: Bearer ${adminKey}`]),
          ...(random(3) === 0 ? [`content-encoding: ${pick(codings)}`] : []),
        ]
        return { method, path, text: `${lines.join("\r\n")}\r\n\r\n${body}` }
      })
      const socket = await RawSocket.open(errata.port)
      socket.write(Buffer.from(requests.map(({ text }) => text).join(""), "latin1"))
      const responses = await socket.responses(requests.map(({ method }) => method))
      for (const [i, { status }] of responses.entries()) {
        statuses.set(status, `${requests[i]!.method} ${requests[i]!.path}`)
      }
      socket.abort()
    }
    expect([...statuses].filter(([status]) => status >= 500)).toEqual([])
    expect([...statuses.keys()].sort()).toEqual(expect.arrayContaining([200, 204, 401, 404, 405]))
  })
})
