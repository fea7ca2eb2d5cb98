/** Child processes that speak IPC: the load generator and the servers for comparison. */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { defer, end, own } from "./cleanup.mjs"

const message = (child, file) =>
  new Promise((resolve, reject) => {
    const settle = (finish) => (value) => {
      child.off("message", onMessage)
      child.off("exit", onExit)
      finish(value)
    }
    const onMessage = settle(resolve)
    const onExit = settle((code) => reject(new Error(`${file} ended with ${code}`)))
    child.on("message", onMessage)
    child.on("exit", onExit)
  })

const start = (file, env = {}) => {
  const child = own(
    fork(fileURLToPath(new URL(`../${file}`, import.meta.url)), { env: { ...process.env, ...env } }),
  )
  return { child, next: () => message(child, file), stop: defer(() => end(child)) }
}

/** Starts `baseline.mjs` or `discard.mjs` and waits until it listens. Both accept any project. */
export const startComparison = async (file, env) => {
  const { child, next, stop } = start(file, env)
  const { port } = await next()
  const projects = Array.from({ length: 10 }, (_, index) => ({ id: index + 1, token: "0".repeat(32) }))
  return { host: "127.0.0.1", port, pid: child.pid, projects, stop }
}

export const startGenerator = async ({ host, port, projects }, eventKb) => {
  const { child, next, stop } = start("generator.mjs")
  const ask = (question) => {
    child.send(question)
    return next()
  }
  const events = await ask({ kind: "prepare", host, port, projects, eventKb })
  return { events, stop, run: (options) => ask({ kind: "run", ...options }) }
}

/** Errors of a run as messages; empty if there were none. */
export const runErrors = ({ refused, failures, sample }) => [
  ...Object.entries(refused).map(([status, count]) => `${count} requests answered ${status}`),
  ...Object.entries(failures).map(([failure, count]) => `${count} x ${failure}`),
  ...(sample === null ? [] : [`first refusal: ${sample.replaceAll(/\s+/g, " ").slice(0, 300)}`]),
]
