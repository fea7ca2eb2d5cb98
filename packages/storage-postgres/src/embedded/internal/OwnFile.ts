/** Small files that processes of one user share. */
import { constants } from "node:fs"
import { open, rename, rm, writeFile } from "node:fs/promises"
import { Effect } from "effect"

export interface Found {
  /** Empty if the file is missing or not a regular file. */
  readonly content: string
  /** True if this process's user owns the file. Always true on Windows, which has no user ids. */
  readonly isOwn: boolean
}

/** Reads a file and its owner from one handle. Does not follow links. */
export const read = (path: string): Effect.Effect<Found> =>
  Effect.promise(async () => {
    // Non-blocking: opening a pipe of that name would wait for a writer.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
    const handle = await open(path, flags).catch(() => undefined)
    if (handle === undefined) return nothing
    try {
      const { size, uid } = await handle
        .stat()
        .then((found) => (found.isFile() ? found : { size: -1, uid: -1 }))
      if (size < 0 || size > largest) return nothing
      return { content: await handle.readFile("utf8"), isOwn: isOwn(uid) }
    } finally {
      await handle.close()
    }
  })

/** Replaces a file atomically. */
export const write = async (path: string, content: string): Promise<void> => {
  const aside = `${path}.${process.pid}`
  await rm(aside, { force: true })
  await writeFile(aside, content, { flag: "wx", mode: 0o600 })
  await rename(aside, path)
}

export const isOwn = (uid: number): boolean => process.geteuid === undefined || uid === process.geteuid()

// internal

const nothing: Found = { content: "", isOwn: false }
const largest = 10_000
