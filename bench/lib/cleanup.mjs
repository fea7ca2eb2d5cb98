/** What was started is stopped, newest first: at the end, after a failure, on a signal. */
import { rmSync } from "node:fs"

const pending = new Map()
const processes = new Set()
const folders = new Set()
let next = 0
let stopping = false

/** Registers `stop` for the end and gives back a function that stops at once instead. */
export const defer = (stop) => {
  const key = next++
  pending.set(key, stop)
  return async () => {
    if (!pending.delete(key)) return
    await stop()
  }
}

const stopFrom = async (first) => {
  for (const [key, stop] of [...pending].reverse()) {
    if (key < first || !pending.delete(key)) continue
    await Promise.resolve()
      .then(stop)
      .catch((error) => console.error(error))
  }
}

/** Does `work`, then stops what it started and did not stop itself, also when it fails. */
export const scoped = async (work) => {
  const first = next
  try {
    return await work()
  } finally {
    // After a signal everything is being stopped already, in order.
    if (!stopping) await stopFrom(first)
  }
}

/** True after a signal: whatever fails from then on fails because it is being stopped. */
export const interrupted = () => stopping

/** A child that is killed with this process at the latest. */
export const own = (child) => {
  processes.add(child)
  child.once("exit", () => processes.delete(child))
  return child
}

/** A folder that is removed with this process at the latest. */
export const ownFolder = (path) => {
  folders.add(path)
  return path
}

/** Ends a child by `signal`, by force after ten seconds. */
export const end = async (child, signal = "SIGTERM") => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((resolve) => child.once("exit", resolve))
  child.kill(signal)
  const force = setTimeout(() => child.kill("SIGKILL"), 10_000)
  await exited
  clearTimeout(force)
}

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, async () => {
    if (stopping) return
    stopping = true
    await stopFrom(0)
    process.exit(130)
  })
}
process.on("exit", () => {
  for (const child of processes) child.kill("SIGKILL")
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})
