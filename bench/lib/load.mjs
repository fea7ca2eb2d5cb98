/** The children that speak IPC: the load generator and the servers that are only there for comparison. */
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

/** `baseline.mjs` or `discard.mjs`, listening; they take any project. */
export const startComparison = async (file, env) => {
  const { child, next, stop } = start(file, env)
  const { port } = await next()
  const projects = Array.from({ length: 10 }, (_, index) => ({ id: index + 1, token: "0".repeat(32) }))
  return { host: "127.0.0.1", port, pid: child.pid, projects, stop }
}

/** The generator, aimed at a server with events of one size. */
export const startGenerator = async ({ host, port, projects }, eventKb) => {
  const { child, next, stop } = start("generator.mjs")
  const ask = (question) => {
    child.send(question)
    return next()
  }
  const events = await ask({ kind: "prepare", host, port, projects, eventKb })
  return { events, stop, run: (options) => ask({ kind: "run", ...options }) }
}

/** What went wrong in a run, in words; empty when nothing did. */
export const runErrors = ({ refused, failures, sample }) => [
  ...Object.entries(refused).map(([status, count]) => `${count} requests answered ${status}`),
  ...Object.entries(failures).map(([failure, count]) => `${count} x ${failure}`),
  ...(sample === null ? [] : [`first refusal: ${sample.replaceAll(/\s+/g, " ").slice(0, 300)}`]),
]
