/** The file system of an embedded database is full for a while. Needs the right to mount a small one. */
import { execFile } from "node:child_process"
import { chmod, mkdtemp, open, rm, statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { promisify } from "node:util"
import type { Cleanup } from "../lib/Cleanup.js"
import * as Session from "../lib/Session.js"
import * as Storage from "../lib/Storage.js"
import * as Traffic from "../lib/Traffic.js"
import { until } from "../lib/Wait.js"
import { NotRun, type Scenario } from "../Scenario.js"

const execute = promisify(execFile)
const megabytes = 400

const mount = async (cleanup: Cleanup): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "errata-torture-disk-"))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  try {
    await execute("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder])
  } catch {
    throw new NotRun("A file system of its own could not be mounted: that takes root")
  }
  cleanup.defer(() => execute("umount", ["-l", folder]))
  // If the server runs as root, the database runs as another account.
  await chmod(folder, 0o755)
  return folder
}

/** Uses up all remaining space. */
const fill = async (path: string): Promise<void> => {
  const file = await open(path, "w")
  const block = Buffer.alloc(1024 * 1024)
  try {
    for (let written = 0; written < megabytes * 2; written++) await file.write(block)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error
  } finally {
    await file.close()
  }
}

const run: Scenario["run"] = async (setting) => {
  const { cleanup, findings, size } = setting
  const folder = await mount(cleanup)
  const storage = Storage.folderStorage(join(folder, "data"))
  const session = await Session.open(setting, storage)
  const traffic = Traffic.start(
    { url: () => session.url, source: setting.source(), connections: 8, pause: 5 },
    cleanup,
  )
  const { accepted, answers } = traffic.ledger
  const grows = async (what: string) => {
    const before = accepted.size
    await until(`events are accepted ${what}`, () => accepted.size > before + 100, 90_000)
  }
  await grows("before")
  for (let time = 0; time < (size === "short" ? 1 : 3); time++) {
    const filler = join(folder, "filler")
    const refused = answers.get(503) ?? 0
    const began = performance.now()
    // Space that the database frees is used up too.
    while ((answers.get(503) ?? 0) < refused + 20 && performance.now() - began < 60_000) {
      await fill(filler)
      await pause(200)
    }
    findings.check((answers.get(503) ?? 0) > refused, () => "Nothing was refused although the disk was full")
    await pause(size === "short" ? 500 : 5_000)
    const { bavail, bsize } = await statfs(folder)
    findings.most("free bytes while full", bavail * bsize)
    await rm(filler)
    await grows("after there is space again")
    findings.count("times full")
  }
  await traffic.stop()
  const resets = answers.get("broken") ?? 0
  findings.check(resets === 0, () => `${resets} requests were reset while the disk was full`)
  findings.check(session.node.running(), () => "The node ended")
  await Session.conclude(setting, storage, session, [traffic.ledger])
}

export const scenario: Scenario = { name: "disk full", kinds: ["embedded"], run }
