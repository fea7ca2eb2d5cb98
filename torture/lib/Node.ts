/** One `errata serve` in a process of its own, driven by its command line, its signals and its address. */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import type { Cleanup } from "./Cleanup.js"

/** The key that every node gives its admin. */
export const apiKey = "errata_0123456789abcdef0123456789abcdef"

export interface Node {
  readonly url: string
  readonly pid: number
  /** Everything it wrote so far, to both outputs. */
  readonly output: () => string
  readonly running: () => boolean
  /** Sends a signal and waits for the end; answers the exit code, null after a signal that ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>
  /** MB at the most so far; null where the system does not tell. */
  readonly peakMemory: () => number | null
}

/** Environment variables, besides those that every node has. */
export type Settings = Readonly<Record<string, string>>

export interface Launch {
  /** Null where the process ended before it listened. */
  readonly ready: Promise<Node | null>
  readonly kill: () => Promise<void>
  readonly output: () => string
}

/** Starts a node; `ready` tells when it listens. It is killed with the cleanup at the latest. */
export const launch = (
  bin: string,
  args: ReadonlyArray<string>,
  cleanup: Cleanup,
  settings: Settings = {},
): Launch => {
  const child = spawnErrata(bin, ["serve", "--port", settings["ERRATA_PORT"] ?? "0", ...args], settings)
  let output = ""
  let ended = false
  const exited = new Promise<number | null>((resolve) =>
    child.once("close", (code) => {
      ended = true
      resolve(code)
    }),
  )
  const end = (signal: NodeJS.Signals) => {
    if (!ended) child.kill(signal)
    return exited
  }
  cleanup.defer(() => end("SIGKILL"))
  const ready = new Promise<Node | null>((resolve) => {
    const read = (chunk: Buffer) => {
      output += chunk
      const url = /Errata is listening on (\S+)/.exec(output)?.[1]
      if (url === undefined) return
      resolve({
        url,
        pid: child.pid ?? 0,
        output: () => output,
        running: () => !ended,
        end,
        peakMemory: () => peakOf(child.pid ?? 0),
      })
    }
    child.stdout?.on("data", read)
    child.stderr?.on("data", read)
    void exited.then(() => resolve(null))
  })
  return { ready, output: () => output, kill: async () => void (await end("SIGKILL")) }
}

export const start = async (
  bin: string,
  args: ReadonlyArray<string>,
  cleanup: Cleanup,
  settings: Settings = {},
): Promise<Node> => {
  const launched = launch(bin, args, cleanup, settings)
  const node = await launched.ready
  if (node === null) throw new Error(`The node did not start:\n${launched.output()}`)
  return node
}

/** Runs another command of the same build to its end; answers what it printed. */
export const run = async (bin: string, args: ReadonlyArray<string>): Promise<string> => {
  const child = spawnErrata(bin, args)
  let output = ""
  child.stdout?.on("data", (chunk) => {
    output += chunk
  })
  child.stderr?.on("data", (chunk) => {
    output += chunk
  })
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  if (code !== 0) throw new Error(`errata ${args.join(" ")} ended with ${code}:\n${output}`)
  return output
}

// internal

/** None outlives this process, however that ends. An embedded database ends with its node. */
const children = new Set<ChildProcess>()
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL")
})

/** What is put to the test is what lies behind the protection of the intake. */
const unprotected = {
  ERRATA_POLICIES_INGEST_PROTECTION_ENABLED: "false",
  ERRATA_POLICIES_INGEST_PROTECTION_BACKLOG_PROTECTION_ENABLED: "false",
  ERRATA_POLICIES_INGEST_PROTECTION_DISK_PROTECTION_ENABLED: "false",
  // Receivers of webhooks are on loopback.
  ERRATA_ALLOW_PRIVATE_ADDRESSES: "true",
  ERRATA_ENCRYPTION_KEY: "7".repeat(64),
  ERRATA_PROCESSES: "1",
}

const spawnErrata = (bin: string, args: ReadonlyArray<string>, settings: Settings = {}): ChildProcess => {
  // Settings of the machine that runs this must not reach the server.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("ERRATA_") && name !== "DATABASE_URL" && name !== "NODE_OPTIONS",
  )
  const child = spawn(process.execPath, ["--enable-source-maps", bin, ...args], {
    env: { ...Object.fromEntries(inherited), ERRATA_ADMIN_API_KEY: apiKey, ...unprotected, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    // Ctrl-C is for the harness, which then ends its children.
    detached: true,
  })
  children.add(child)
  child.once("exit", () => children.delete(child))
  return child
}

const peakOf = (pid: number): number | null => {
  try {
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024)
  } catch {
    // No such file system, or the process is gone.
    return null
  }
}
