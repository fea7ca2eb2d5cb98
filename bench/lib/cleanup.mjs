/** Stops everything that was started, newest first: at the end, after a failure and on a signal. */
import { rmSync } from "node:fs"

const pending = new Map()
const processes = new Set()
const folders = new Set()
let next = 0
let stopping = false

/** Registers `stop` for the end. The returned function stops at once. */
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

/** Runs `work`, then stops everything that it started and left running, even if it fails. */
export const scoped = async (work) => {
  const first = next
  try {
    return await work()
  } finally {
    // After a signal, `stopFrom` already runs for everything.
    if (!stopping) await stopFrom(first)
  }
}

/** True after a signal. Later failures are consequences of stopping. */
export const interrupted = () => stopping

/** Kills the child when this process exits, unless it ended before. */
export const own = (child) => {
  processes.add(child)
  child.once("exit", () => processes.delete(child))
  return child
}

/** Removes the folder when this process exits, unless it was removed before. */
export const ownFolder = (path) => {
  folders.add(path)
  return path
}

/** Ends a child with `signal`, and with SIGKILL after ten seconds. */
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
