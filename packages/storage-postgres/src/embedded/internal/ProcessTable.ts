/** Identifies processes by id and start time, because ids are reused. */
import { execFile } from "node:child_process"
import { readFile, readlink, stat } from "node:fs/promises"
import { Effect, Option } from "effect"

/** Returns a value that identifies the start of a live process, or none if it does not run. */
export const startOf = (pid: number): Effect.Effect<Option.Option<string>> =>
  process.platform === "linux" ? startOnLinux(pid) : startElsewhere(pid)

/** Only a process that is certainly the server may be signaled. */
export type Serving = "certain" | "likely" | "no"

/**
 * Returns whether a live process is the PostgreSQL server of this folder.
 *
 * `startedAt` is the start time that the server recorded, in seconds since 1970. Always "no" on Windows, where the
 * server ends with its owner and PostgreSQL checks the process id itself.
 */
export const serves = (pid: number, cluster: string, startedAt: number): Effect.Effect<Serving> =>
  process.platform === "linux"
    ? servesOnLinux(pid, cluster)
    : Effect.map(startedThen(pid, startedAt), (then) => (then ? "likely" : "no"))

// internal

const startOnLinux = (pid: number) =>
  Effect.promise(async () => {
    // The second field is the program's name, which may contain spaces and parentheses. Count fields after it.
    const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ")
    const [state, ticks] = [fields[0], fields[19]]
    if (ticks === undefined || state === "Z" || state === "X") return Option.none<string>()
    const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "")
    const namespace = await readlink("/proc/self/ns/pid").catch(() => "")
    return Option.some(`${boot.trim()} ${namespace} ${ticks}`)
  })

const servesOnLinux = (pid: number, cluster: string) =>
  Effect.promise(async (): Promise<Serving> => {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")
    if (!/(^|\/)postgres\0/.test(command)) return "no"
    const [theirs, ours] = await Promise.all([stat(`/proc/${pid}/cwd`).catch(() => undefined), stat(cluster)])
    // In a container, root may lack permission to inspect other users' processes.
    if (theirs === undefined) return "likely"
    return theirs.dev === ours.dev && theirs.ino === ours.ino ? "certain" : "no"
  })

/** Exported for its test, which runs on any system. */
export const startedThen = (pid: number, startedAt: number) =>
  Effect.map(startElsewhere(pid), (start) => {
    const seconds = Date.parse(`${Option.getOrElse(start, () => "")} UTC`) / 1000
    return Math.abs(seconds - startedAt) <= 5
  })

const startElsewhere = (pid: number) =>
  Effect.callback<Option.Option<string>>((resume) => {
    if (!isAlive(pid)) return resume(Effect.succeedNone)
    if (process.platform === "win32") return resume(Effect.succeedSome(""))
    execFile(
      "ps",
      ["-o", "lstart=", "-p", String(pid)],
      { env: { LC_ALL: "C", TZ: "UTC", PATH: process.env.PATH } },
      (error, stdout) => resume(error ? Effect.succeedNone : Effect.succeedSome(stdout.trim())),
    )
  })

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
