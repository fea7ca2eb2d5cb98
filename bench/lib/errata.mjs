/** A running Errata server, used through its command line and its REST API. */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "../../packages/storage-postgres/test/support/port.ts"
import { defer, end, own, ownFolder } from "./cleanup.mjs"
import { PROJECTS } from "./events.mjs"

const BIN = fileURLToPath(new URL("../../packages/cli/dist/bin.js", import.meta.url))
const HOST = "127.0.0.1"
const START_TIMEOUT = 60_000

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/**
 * Starts a server with ten projects and returns when it accepts events. `beside` is another server on the same
 * database, whose projects and key are reused.
 */
export const startErrata = async ({ storage, databaseUrl, bin = BIN, env = {}, beside }) => {
  const port = await freePort()
  const dataDir = ownFolder(await mkdtemp(join(tmpdir(), "errata-bench-data-")))
  const key = beside?.key ?? `errata_${randomBytes(24).toString("hex")}`
  const args = ["serve", "--host", HOST, "--port", String(port), "--storage", storage]
  if (storage === "postgres") args.push("--database-url", databaseUrl)
  if (storage === "embedded") args.push("--data-dir", dataDir)
  const { DATABASE_URL: _, ...environment } = process.env
  const child = own(
    // The same flag and variable as `npm start`.
    spawn(process.execPath, ["--max-semi-space-size=8", bin, ...args], {
      env: {
        MALLOC_ARENA_MAX: "2",
        ...environment,
        ERRATA_ADMIN_API_KEY: key,
        ERRATA_PROCESSES: "1",
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
      // Keeps Ctrl-C from the server: this process stops it in order.
      detached: true,
    }),
  )
  let log = ""
  const keep = (chunk) => {
    log = (log + chunk).slice(-4000)
  }
  child.stdout.on("data", keep)
  child.stderr.on("data", keep)
  const stop = defer(async () => {
    await end(child)
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  })

  const base = `http://${HOST}:${port}`
  const request = async (method, path, body) => {
    const response = await fetch(`${base}/api/service/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
      body: body && JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`)
    return text === "" ? null : JSON.parse(text)
  }

  const deadline = Date.now() + START_TIMEOUT
  for (;;) {
    const isReady = await fetch(`${base}/ready`).then(
      (response) => response.status === 200,
      () => false,
    )
    if (isReady) break
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`The server did not start:\n${log}`)
    await sleep(50)
  }

  const notes = []
  await request("PATCH", "/data_retention/ingest_protection", {
    global_rate_limit_per_minute: 10_000_000,
    max_pending_ingest_payloads: 10_000_000,
  }).catch((error) => notes.push(`ingest protection left at its defaults: ${error.message}`))

  const projects = [...(beside?.projects ?? [])]
  for (let index = projects.length; index < PROJECTS; index++) {
    const { id, token } = await request("POST", "/projects", {
      name: `Benchmark ${index + 1}`,
      platform: "node",
    })
    projects.push({ id, token })
  }
  const ours = new Set(projects.map(({ id }) => id))

  return {
    host: HOST,
    key,
    port,
    pid: child.pid,
    dataDir,
    projects,
    notes,
    stop,
    request,
    log: () => log,
    running: () => child.exitCode === null && child.signalCode === null,
    processed: async () => {
      const page = await request("GET", "/projects?limit=100")
      let count = 0
      for (const project of page.projects) if (ours.has(project.id)) count += project.reports_count
      return count
    },
  }
}

/**
 * Waits until the reports of all accepted events can be read, or until none was added for `patience` ms. Returns the
 * count, and when it was reached in ms since the epoch.
 */
export const drain = async (server, expected, patience = 20_000) => {
  let count = await server.processed()
  let changedAt = Date.now()
  while (count < expected && Date.now() - changedAt < patience) {
    await sleep(50)
    const now = await server.processed()
    if (now !== count) changedAt = Date.now()
    count = now
  }
  return { count, at: changedAt }
}
