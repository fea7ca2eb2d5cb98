/** Runs the `errata` server in a child process and calls its REST API. */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"

/** `ERRATA_BIN` overrides the path of the command. */
const command = () =>
  process.env.ERRATA_BIN ?? fileURLToPath(new URL("../dist/bin.js", import.meta.resolve("@errata/cli")))

/**
 * Starts a server on a free port with its data in memory.
 *
 * @returns {Promise<Errata>}
 */
export const startErrata = async () => {
  const apiKey = `errata_${randomBytes(16).toString("hex")}`
  const child = spawn(process.execPath, [command(), "serve", "--storage", "memory", "--port", "0"], {
    env: { PATH: process.env.PATH, ERRATA_ADMIN_API_KEY: apiKey },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  const url = await new Promise((resolve, reject) => {
    const read = (chunk) => {
      output += chunk
      const listening = /Errata is listening on (\S+)/.exec(output)
      if (listening !== null) resolve(listening[1])
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
    child.once("exit", (code) => reject(new Error(`errata ended with ${code}:\n${output}`)))
  })
  return new Errata(url, apiKey, child)
}

export class Errata {
  constructor(url, apiKey, child) {
    this.url = url
    this.apiKey = apiKey
    this.child = child
  }

  /** @returns {Promise<any>} the JSON of the response; null if it has no body */
  async request(path, init = {}, api = "/api/service/v1") {
    const response = await fetch(`${this.url}${api}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${this.apiKey}`, "content-type": "application/json" },
    })
    const body = response.status === 204 ? null : await response.json()
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(body)}`)
    return body
  }

  /** Names the project that the first start created, and returns it. */
  async nameProject(name) {
    const { projects } = await this.request("/projects")
    const body = JSON.stringify({ name, platform: "node" })
    return this.request(`/projects/${projects[0].id}`, { method: "PATCH", body })
  }

  /** Says when a version was deployed, as build tools do. */
  deployed(version, at) {
    const body = JSON.stringify({ environment: "demo", dateFinished: new Date(at).toISOString() })
    const path = `/organizations/any/releases/${encodeURIComponent(version)}/deploys/`
    return this.request(path, { method: "POST", body }, "/api/0")
  }

  /** Returns a single-use link that signs the admin in. */
  async signInLink() {
    const { users } = await this.request("/users")
    const admin = users.find(({ role }) => role === "admin")
    const { sign_in_link } = await this.request(`/users/${admin.id}/sign_in_link`, { method: "POST" })
    return sign_in_link
  }

  /** Returns the DSN that an application is configured with. */
  dsn({ id, token }) {
    return `http://${token}@${new URL(this.url).host}/${id}`
  }

  /** Waits until the project has at least `count` reports. */
  async recorded({ id }, count) {
    for (let attempt = 0; attempt < 300; attempt++) {
      const { reports_count } = await this.request(`/projects/${id}`)
      if (reports_count >= count) return
      await pause(100)
    }
    throw new Error(`${count} reports should have been recorded within 30 seconds`)
  }

  /** Waits until this process receives a signal or the server exits. */
  async ended() {
    const controller = new AbortController()
    const { signal } = controller
    const ends = [once(process, "SIGINT", { signal }), once(process, "SIGTERM", { signal })]
    if (this.child.exitCode === null) ends.push(once(this.child, "exit", { signal }))
    await Promise.race(ends)
    for (const end of ends) end.catch(() => {})
    controller.abort()
  }

  async stop() {
    if (this.child.exitCode !== null) return
    this.child.kill("SIGTERM")
    await once(this.child, "exit")
  }
}
