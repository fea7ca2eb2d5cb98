/** Small files that processes of one user leave for each other. */
import { constants } from "node:fs"
import { open, rename, rm, writeFile } from "node:fs/promises"
import { Effect } from "effect"

export interface Found {
  /** Empty where there is no such file, or it is no plain one. */
  readonly content: string
  /** Whether the user of this process wrote it. On Windows, which has no such ids, always true. */
  readonly isOwn: boolean
}

/** Reads a file and who owns it, of one and the same file: a link is not followed. */
export const read = (path: string): Effect.Effect<Found> =>
  Effect.promise(async () => {
    // Without waiting: a pipe of that name would keep it.
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

/** Replaces a file; whoever reads it meets the former one or all of the new one. */
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
