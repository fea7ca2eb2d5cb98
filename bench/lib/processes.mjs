/** Memory and CPU time of other processes, from `/proc`. Null on systems without it. */
import { readdirSync, readFileSync } from "node:fs"
import { stat as fileStat, readdir } from "node:fs/promises"
import { join } from "node:path"

/** USER_HZ: 100 on every Linux that Node supports. */
const TICKS_PER_SECOND = 100

const read = (path) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}

/** Peak resident memory of a process in MB. */
export const peakRssMb = (pid) => {
  const match = /^VmHWM:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`) ?? "")
  return match === null ? null : Number(match[1]) / 1024
}

const stat = (pid) => read(`/proc/${pid}/stat`)?.split(") ")[1].split(" ")

/** CPU time of a process so far, in seconds. */
const cpuSeconds = (pid) => {
  const fields = stat(pid)
  return fields === undefined ? null : (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

const descendants = (pid) => {
  const children = new Map()
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    const parent = stat(name)?.[1]
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), name])
  }
  const found = []
  const visit = (parent) => {
    for (const child of children.get(String(parent)) ?? []) {
      found.push(child)
      visit(child)
    }
  }
  visit(pid)
  return found
}

/**
 * CPU time so far of the PostgreSQL servers started by this process or its children, in seconds. Null if there are
 * none, as with DATABASE_URL.
 */
const databaseCpuSeconds = () => {
  if (process.platform !== "linux") return null
  let ticks = null
  for (const pid of descendants(process.pid)) {
    const command = read(`/proc/${pid}/cmdline`)?.split("\0")[0] ?? ""
    const isPostmaster = command.endsWith("/postgres")
    if (!isPostmaster && !command.startsWith("postgres:")) continue
    const fields = stat(pid)
    if (fields === undefined) continue
    // The postmaster also counts the CPU time of its ended children, the closed connections.
    const counted = isPostmaster ? fields.slice(11, 15) : fields.slice(11, 13)
    ticks = counted.reduce((sum, field) => sum + Number(field), ticks ?? 0)
  }
  return ticks === null ? null : ticks / TICKS_PER_SECOND
}

/** Measures from now on. `stop` returns the CPU time of a server and of the database in seconds, or null if unknown. */
export const watchCpu = (pid) => {
  const server = cpuSeconds(pid)
  const database = databaseCpuSeconds()
  return {
    stop: () => ({
      server: server === null ? null : cpuSeconds(pid) - server,
      database: database === null ? null : databaseCpuSeconds() - database,
    }),
  }
}

/** The same for several servers with all their descendants. None of these processes may end during the measurement. */
export const watchCpuOfAll = (pids) => {
  const all = () => [...new Set(pids.flatMap((pid) => [pid, ...descendants(pid)]))]
  const sum = () => all().reduce((seconds, pid) => seconds + (cpuSeconds(pid) ?? 0), 0)
  const server = sum()
  const database = databaseCpuSeconds()
  return {
    stop: () => ({
      server: sum() - server,
      database: database === null ? null : databaseCpuSeconds() - database,
    }),
  }
}

/** Memory of a server's child processes in MB. Shared pages count once (PSS). */
const childrenMb = (pid) => {
  let kilobytes = 0
  for (const child of descendants(pid)) {
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${child}/smaps_rollup`) ?? "")?.[1] ?? 0)
  }
  return kilobytes / 1024
}

/** Samples the memory of a server's child processes. `stop` returns the peak. */
export const watchChildren = (pid) => {
  if (process.platform !== "linux") return { stop: () => null }
  let peak = 0
  const sample = () => {
    peak = Math.max(peak, childrenMb(pid))
  }
  const timer = setInterval(sample, 1000)
  return {
    stop: () => {
      clearInterval(timer)
      sample()
      return peak
    },
  }
}

/** Size of a data folder in bytes, without PostgreSQL's write-ahead log: its size is fixed and its files are reused. */
export const folderSize = async (folder) => {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += entry.name === "pg_wal" ? 0 : await folderSize(path)
    else if (entry.isFile()) bytes += (await fileStat(path).catch(() => ({ size: 0 }))).size
  }
  return bytes
}
