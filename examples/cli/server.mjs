/** Runs an in-memory server and the `errata` command for the recorded session. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"

/** `ERRATA_BIN` overrides the path of the command. */
const command =
  process.env.ERRATA_BIN ?? fileURLToPath(new URL("../../packages/cli/dist/bin.js", import.meta.url))

/** Runs the command with `input` on its standard input and waits until it exits. */
export const errata = async (args, env, input = "") => {
  const child = spawn(process.execPath, [command, ...args], { env: { PATH: process.env.PATH, ...env } })
  let output = ""
  child.stdout.on("data", (chunk) => (output += chunk))
  child.stderr.on("data", (chunk) => (output += chunk))
  child.stdin.end(input)
  const [code] = await once(child, "close")
  return { code, output }
}

/** Starts a server whose admin has this API key. Returns its URL and a function that stops it. */
export const startServer = async (apiKey) => {
  const child = spawn(process.execPath, [command, "serve", "--storage", "memory", "--port", "0"], {
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
  return {
    url,
    stop: async () => {
      if (child.exitCode !== null) return
      child.kill("SIGTERM")
      await once(child, "exit")
    },
  }
}

/** Sends events one at a time, as an SDK does, and waits until each one is recorded. */
export const report = async (dsn, events, recordedCount) => {
  const { origin, pathname, username } = new URL(dsn)
  const store = `${origin}/api${pathname}/store/?sentry_version=7&sentry_key=${username}`
  for (const [i, event] of events.entries()) {
    const response = await fetch(store, { method: "POST", body: JSON.stringify(event) })
    if (!response.ok) throw new Error(`An event was answered ${response.status}`)
    for (let attempt = 0; (await recordedCount()) <= i; attempt++) {
      if (attempt === 300) throw new Error("The errors should have been recorded within 30 seconds")
      await pause(100)
    }
  }
}
