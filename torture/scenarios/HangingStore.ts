/** Reads of an S3 store never finish, while events of uploaded scripts and plain events of another project arrive. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import http from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import * as Bystander from "../lib/Bystander.js"
import type { Cleanup } from "../lib/Cleanup.js"
import * as Scripts from "../lib/Scripts.js"
import * as Session from "../lib/Session.js"
import type { Scenario } from "../Scenario.js"

/** Nothing is read from the store, so the node needs no more memory than under any load. */
const mostMemory = 200

const scripts = 6

const run: Scenario["run"] = async (setting) => {
  const { cleanup, findings, size } = setting
  const storage = await setting.storage()
  const config = await configFile(await hangingStore(cleanup), cleanup)
  const { node, project } = await Session.open(setting, {
    ...storage,
    args: [...storage.args, "--config", config],
  })
  for (let i = 0; i < scripts; i++) {
    const map = { version: 3, sources: [`${i}.js`], names: [], mappings: "AAAA" }
    await Scripts.upload(node, project, "shop@1", {
      name: `~/assets/s${i}.js.map`,
      content: JSON.stringify(map),
    })
  }
  const run = async () => {
    for (let i = 0; i < 60; i++) await Scripts.send(node, project, "shop@1", `s${i % scripts}`)
    if (size === "short") await pause(2_000)
    // They are recorded unmapped after 30 s, and mapped later.
    else findings.set("other events recorded after ms", await Scripts.recorded(node, project, 60))
  }
  await Bystander.besides(node, findings, { mostMemory, run })
  const code = await node.end("SIGTERM")
  findings.check(code === 0, () => `The node ended with ${code}`)
}

export const scenario: Scenario = { name: "hanging store", kinds: ["postgres"], run }

// internal

/** Accepts PUT requests and never responds to GET requests. */
const hangingStore = async (cleanup: Cleanup): Promise<string> => {
  const server = http.createServer((request, response) => {
    request.resume()
    if (request.method === "GET") return
    request.once("end", () => {
      response.writeHead(request.method === "HEAD" ? 404 : 200, { etag: '"1"' })
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  cleanup.defer(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const configFile = async (endpoint: string, cleanup: Cleanup): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "errata-torture-"))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, "errata.json")
  // Placeholders, since the store checks no credentials.
  process.env["AWS_ACCESS_KEY_ID"] = "torture"
  process.env["AWS_SECRET_ACCESS_KEY"] = "torture"
  await writeFile(path, JSON.stringify({ blobs: "s3://artifacts/", blobsS3: { endpoint } }))
  return path
}
