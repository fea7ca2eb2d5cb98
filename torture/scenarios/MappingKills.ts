/** Nodes are killed with SIGKILL while they map reports. New reports of the project must wait only seconds. */
import { randomUUID } from "node:crypto"
import pg from "pg"
import * as Http from "../../packages/cli/test/faults/support/Http.js"
import * as Api from "../lib/Api.js"
import type { Cleanup } from "../lib/Cleanup.js"
import { apiKey } from "../lib/Node.js"
import * as Session from "../lib/Session.js"
import * as Storage from "../lib/Storage.js"
import { until } from "../lib/Wait.js"
import type { Scenario } from "../Scenario.js"

const script = "https://shop.example.com/assets/app.js"

/** Milliseconds that a new report may wait, behind those of the killed node. */
const mostWait = 20_000

const run: Scenario["run"] = async (setting) => {
  const { cleanup, findings, size } = setting
  const storage = await setting.storage()
  const url = storage.url ?? ""
  const kills = size === "short" ? 1 : 4
  for (let kill = 0; kill < kills; kill++) {
    const { node, project } = await Session.open(setting, storage)
    await upload(node.url, project, `held@${kill}`)
    const letGo = await withholdContents(url, cleanup)
    await send(node.url, project, `held@${kill}`, 10)
    await until("the node holds reports", async () => (await held(url)) >= 2)
    await node.end("SIGKILL")
    findings.count("kills")
    await letGo()
  }
  const last = await Session.open(setting, storage)
  await send(last.node.url, last.project, "fresh", 20)
  await until("the fresh reports are recorded", async () => (await waiting(url, "fresh")) === 20)
  const began = performance.now()
  await upload(last.node.url, last.project, "fresh")
  await until("the fresh reports are mapped", async () => (await waiting(url, "fresh")) === 0, 300_000)
  const waited = Math.round(performance.now() - began)
  findings.set("fresh reports mapped after ms", waited)
  findings.check(waited < mostWait, () => `Fresh reports were mapped after ${waited} ms`)
  await until("all reports are mapped", async () => (await waiting(url, "")) === 0)
  const code = await last.node.end("SIGTERM")
  findings.check(code === 0, () => `The node ended with ${code}`)
}

export const scenario: Scenario = { name: "mapping kills", kinds: ["postgres"], run }

// internal

const send = async (server: string, project: Api.Project, release: string, count: number) => {
  for (let i = 0; i < count; i++) {
    const frame = { filename: script, function: "t", lineno: 1, colno: 1, in_app: true }
    const event = {
      event_id: randomUUID().replaceAll("-", ""),
      platform: "javascript",
      release,
      exception: { values: [{ type: "TypeError", value: "boom", stacktrace: { frames: [frame] } }] },
    }
    const { status } = await Http.send(
      Api.envelopeUrl({ url: server }, project).replace("envelope", "store"),
      {
        method: "POST",
        body: JSON.stringify(event),
      },
    )
    if (status !== 200) throw new Error(`An event was answered with ${status}`)
  }
}

const upload = async (server: string, project: Api.Project, release: string) => {
  const name = "~/assets/app.js.map"
  const map = {
    version: 3,
    sources: ["../src/cart.ts"],
    sourcesContent: ["export function total() { boom() }\n"],
    names: [],
    mappings: "AAAA",
    release,
  }
  const body = new FormData()
  body.append("name", name)
  body.append("file", new Blob([JSON.stringify(map)]), name)
  const path = `/api/0/projects/errata/${project.id}/releases/${encodeURIComponent(release)}/files/`
  const { status } = await fetch(server + path, {
    method: "POST",
    body,
    headers: { authorization: `Bearer ${apiKey}` },
  })
  if (status !== 201) throw new Error(`An upload was answered with ${status}`)
}

/** Blocks all access to uploaded contents. */
const withholdContents = async (url: string, cleanup: Cleanup) => {
  const client = new pg.Client({ connectionString: url })
  client.on("error", () => {})
  await client.connect()
  cleanup.defer(() => client.end())
  await client.query("BEGIN")
  await client.query("LOCK TABLE errata.blob_parts IN ACCESS EXCLUSIVE MODE")
  return async () => {
    await client.query("COMMIT")
  }
}

const held = async (url: string): Promise<number> => {
  const [row] = await Storage.query(
    url,
    "SELECT count(*) AS count FROM errata.sourcemap_queue WHERE leased_until > now()",
  )
  return Number(row?.["count"])
}

/** Number of unmapped reports of releases with this prefix. */
const waiting = async (url: string, prefix: string): Promise<number> => {
  const [row] = await Storage.query(
    url,
    `SELECT count(*) AS count FROM errata.reports AS r
     JOIN errata.releases AS known ON known.id = r.release_id AND known.version LIKE '${prefix}%'
     WHERE r.sourcemap_status <> 'resolved'`,
  )
  return Number(row?.["count"])
}
