/** An `errata serve` process, controlled through its command line, signals and URL. */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import type { Cleanup } from "./Cleanup.js"

/** The admin's API key on every node. */
export const apiKey = "errata_0123456789abcdef0123456789abcdef"

export interface Node {
  readonly url: string
  readonly pid: number
  /** Everything written so far to both outputs. */
  readonly output: () => string
  readonly running: () => boolean
  /** Sends a signal and waits for the end. Returns the exit code, or null after a signal that ended it. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>
  /** Peak memory in MB, or null on systems without `/proc`. */
  readonly peakMemory: () => number | null
}

/** Environment variables, in addition to those of every node. */
export type Settings = Readonly<Record<string, string>>

export interface Launch {
  /** Null if the process ended before it listened. */
  readonly ready: Promise<Node | null>
  readonly kill: () => Promise<void>
  readonly output: () => string
}

/** Starts a node; `ready` resolves once it listens. The cleanup kills it. */
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

/** Runs another command of the same build to its end and returns its output. */
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

/** Killed when this process exits. An embedded database ends with its node. */
const children = new Set<ChildProcess>()
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL")
})

/** Ingest protection is off: the code behind it is under test. */
const unprotected = {
  ERRATA_POLICIES_INGEST_PROTECTION_ENABLED: "false",
  ERRATA_POLICIES_INGEST_PROTECTION_BACKLOG_PROTECTION_ENABLED: "false",
  ERRATA_POLICIES_INGEST_PROTECTION_DISK_PROTECTION_ENABLED: "false",
  // Webhook receivers are on loopback.
  ERRATA_ALLOW_PRIVATE_ADDRESSES: "true",
  ERRATA_ENCRYPTION_KEY: "7".repeat(64),
  ERRATA_PROCESSES: "1",
}

const spawnErrata = (bin: string, args: ReadonlyArray<string>, settings: Settings = {}): ChildProcess => {
  // Keeps settings of the developer's machine from the server.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith("ERRATA_") && name !== "DATABASE_URL" && name !== "NODE_OPTIONS",
  )
  const child = spawn(process.execPath, ["--enable-source-maps", bin, ...args], {
    env: { ...Object.fromEntries(inherited), ERRATA_ADMIN_API_KEY: apiKey, ...unprotected, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    // Ctrl-C reaches only the harness, which then ends its children.
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
    // No `/proc`, or the process is gone.
    return null
  }
}
