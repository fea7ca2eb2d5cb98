/** Requests with damaged paths, headers, encodings and bodies, to the ingest and REST APIs. */
import zlib from "node:zlib"
import * as Api from "../lib/Api.js"
import * as Ledger from "../lib/Ledger.js"
import * as Mutation from "../lib/Mutation.js"
import { apiKey } from "../lib/Node.js"
import * as RawHttp from "../lib/RawHttp.js"
import * as Session from "../lib/Session.js"
import * as Storage from "../lib/Storage.js"
import * as Traffic from "../lib/Traffic.js"
import * as Verify from "../lib/Verify.js"
import * as Zstd from "../lib/Zstd.js"
import type { Scenario, Setting } from "../Scenario.js"

const encodings: ReadonlyArray<readonly [string, (body: Buffer) => Buffer]> = [
  ["identity", (body) => body],
  ["gzip", (body) => zlib.gzipSync(body)],
  ["deflate", (body) => zlib.deflateSync(body)],
  ["br", (body) => zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ["zstd", (body) => Zstd.store(body)],
  ["gzip, deflate", (body) => zlib.deflateSync(zlib.gzipSync(body))],
]

const oddHeaders = [
  "X-Sentry-Auth: Sentry",
  "X-Sentry-Auth: Sentry sentry_key=\xff\xfe, sentry_version=7",
  `X-Sentry-Auth: Sentry sentry_key=${"a".repeat(5000)}`,
  "Content-Type: application/x-www-form-urlencoded",
  "Content-Type: multipart/form-data",
  "Content-Type: \xff",
  "Content-Encoding: gzip, gzip, gzip, gzip",
  "Content-Encoding: ,,,",
  "Expect: 100-continue",
  "Expect: nothing",
  "Connection: upgrade\r\nUpgrade: websocket",
  "Range: bytes=0-",
  "If-None-Match: *",
  "Accept: \xff/\xff",
  "Accept-Encoding: \xff",
  "Origin: null",
  "Authorization: Bearer",
  "Authorization: Basic %%%",
  "User-Agent: \x7f",
]

const request = (method: string, path: string, headers: ReadonlyArray<string>, body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `${[`${method} ${path} HTTP/1.1`, "Host: localhost", ...headers].join("\r\n")}\r\n\r\n`,
      "latin1",
    ),
    body,
  ])

/** A damaged request to an ingest endpoint. */
const ingestRequest = ({ chance, samples }: Setting, project: Api.Project): Buffer => {
  const original = chance.pick(samples)
  const [encoding, encode] = chance.pick(encodings)
  const endpoint = chance.pick(["envelope", "envelope", "store", "security"])
  const damaged = chance.next() < 0.8 ? Mutation.bytes(chance, original) : original
  const encoded = encode(damaged)
  const body = chance.next() < 0.2 ? Mutation.bytes(chance, encoded) : encoded
  const path = `/api/${project.id}/${endpoint}/?sentry_key=${project.token}&sentry_version=7`
  const lying = chance.next() < 0.05 ? chance.pick(["-1", "abc", "1e3", "0", "5, 5"]) : String(body.length)
  const headers = [
    `Content-Length: ${lying}`,
    ...(encoding === "identity" ? [] : [`Content-Encoding: ${encoding}`]),
    ...(chance.next() < 0.3 ? [chance.pick(oddHeaders)] : []),
  ]
  const method = chance.next() < 0.05 ? chance.pick(["PUT", "GET", "OPTIONS", "BREW", "HEAD"]) : "POST"
  return request(method, chance.next() < 0.2 ? pathOf(chance, path) : path, headers, body)
}

/** A damaged request to the REST API. It must not change what honest senders may do, even if it is valid. */
const restRequest = ({ chance }: Setting, project: Api.Project): Buffer => {
  const base = "/api/service/v1"
  const own = `/projects/${project.id}`
  const [method, path] = chance.pick([
    ["GET", `${own}/groups?query=is:unresolved+tags.load:yes&limit=5&status=all`],
    ["GET", `${own}/groups?since=2026-01-01T00:00:00Z&until=2027-01-01&resolved=false&cursor=3`],
    ["GET", `${own}/groups/1/reports?limit=3&since=2026-01-01`],
    ["GET", `${own}/groups/1/reports/1`],
    ["GET", `${own}/reports/${"a".repeat(32)}`],
    ["GET", "/projects?name=none&limit=5&cursor=9"],
    ["GET", "/users?limit=2&cursor=1"],
    ["GET", "/apps"],
    ["GET", "/data_retention/errors"],
    ["GET", `${own}/webhooks`],
    ["POST", `${own}/groups/1/notes`],
    ["POST", `${own}/groups/1/mute`],
    ["POST", `${own}/groups/1/bulk_resolve`],
    ["POST", `${own}/groups/1/bulk_merge`],
    ["GET", `${own}/groups/1/merges?limit=2&cursor=7`],
    ["DELETE", `${own}/groups/1/merges/1`],
    ["PATCH", own],
    ["POST", `${own}/users`],
  ] as const)
  const body = Buffer.from(
    chance.pick([
      `{"content":"a note"}`,
      `{"occurrences":3}`,
      `{"group_ids":[1,2,3]}`,
      `{"name":"Renamed","timezone":"UTC"}`,
      `{"user_id":1}`,
    ]),
  )
  const sent = method === "GET" ? Buffer.alloc(0) : chance.next() < 0.7 ? Mutation.bytes(chance, body) : body
  const headers = [
    `Authorization: Bearer ${apiKey}`,
    "Content-Type: application/json",
    `Content-Length: ${sent.length}`,
    ...(chance.next() < 0.2 ? [chance.pick(oddHeaders)] : []),
  ]
  // Only reads get damaged paths: a damaged path of a write could be a valid change.
  return request(method, base + (method === "GET" ? pathOf(chance, path) : path), headers, sent)
}

// Unencoded spaces and line ends would make it another request.
const pathOf = (chance: Setting["chance"], path: string): string =>
  `/${Mutation.text(chance, path.slice(1)).replaceAll(" ", "%20")}`

const run: Scenario["run"] = async (setting) => {
  const { cleanup, findings, samples, size } = setting
  const storage = await setting.storage()
  const session = await Session.open(setting, storage)
  const { node } = session
  const created = await Api.call(node, "POST", "/projects", { name: "Damaged" })
  const target = JSON.parse(created.body) as Api.Project
  findings.set("samples", samples.length)

  const traffic = Traffic.start(
    { url: () => session.url, source: setting.source(), connections: 2, pause: 50 },
    cleanup,
  )
  const hostile = Ledger.make()
  const blamed = new Map<string, string>()
  const requests = size === "short" ? 400 : 8_000
  let next = 0
  const sender = async () => {
    while (next < requests) {
      next++
      // Requests are generated in order, whichever sender sends them, so that a seed always produces the same ones.
      const bytes = next % 4 === 0 ? restRequest(setting, target) : ingestRequest(setting, target)
      const answered = await RawHttp.ask(node.url, bytes)
      hostile.answer("", answered, "0")
      if (typeof answered === "number" && answered >= 500 && blamed.size < 5) {
        blamed.set(`${answered} to ${JSON.stringify(bytes.toString("latin1").slice(0, 400))}`, "")
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, sender))
  await traffic.stop()
  findings.set("damaged requests", requests)
  findings.set(
    "damaged answers",
    [...hostile.answers].map(([what, times]) => `${times} of ${what}`).join(", "),
  )
  const faults = Ledger.countOf([hostile], (answered) => typeof answered === "number" && answered >= 500)
  findings.check(faults === 0, () => `${faults} of 5xx: ${[...blamed.keys()].join("; ")}`)
  Verify.noneRefused(findings, [traffic.ledger])

  const { accepted } = traffic.ledger
  await Verify.settled(node, session.project, accepted.size, "unrecordable")
  await Verify.eachOnce(findings, node, session.project, [traffic.ledger])
  await Verify.sums(findings, node, target)
  Verify.answers(findings, [traffic.ledger])
  findings.check(!node.output().includes("level=ERROR"), () => {
    const [line] = /.*level=ERROR.*/.exec(node.output()) ?? [""]
    return `The node logged an error: ${line.slice(0, 600)}`
  })
  const code = await node.end("SIGTERM")
  findings.check(code === 0, () => `A node that was asked to stop ended with ${code}`)
  // Damaged events that are found to be invalid only when recorded become dead letters.
  findings.set("damaged events in dead letters", await Storage.deadLetters(setting.bin, storage))
}

export const scenario: Scenario = { name: "mutations", kinds: ["postgres"], run }
