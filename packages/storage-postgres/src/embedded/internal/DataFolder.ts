/** The data folder: there, or a sentence that says why it cannot be. */
import { existsSync, lstatSync, readlinkSync } from "node:fs"
import { mkdir, stat } from "node:fs/promises"
import { userInfo } from "node:os"
import { dirname } from "node:path"
import { Effect } from "effect"
import { DataFolderUnusable } from "../EmbeddedPostgresError.js"

/** Makes the folder, and those above it, where they are missing: for their owner alone. */
export const ensure = (dataDir: string): Effect.Effect<void, DataFolderUnusable> =>
  Effect.tryPromise({ try: () => make(dataDir), catch: unusable(dataDir) })

/** What the system refused, in words. */
export const unusable =
  (dataDir: string) =>
  (cause: unknown): DataFolderUnusable =>
    new DataFolderUnusable({ dataDir, detail: explain(cause as NodeJS.ErrnoException, dataDir), cause })

// internal

const make = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "EEXIST") {
      if (!(await stat(path)).isDirectory()) throw Object.assign(new Error(path), { code: "ENOTDIR", path })
      return
    }
    // Not left to Node: it tries for ever where a folder cannot be made though the one above it is there, as in /proc.
    if (code !== "ENOENT" || existsSync(dirname(path))) throw error
    await make(dirname(path))
    await mkdir(path, { mode: 0o700 })
  }
}

const explain = (error: NodeJS.ErrnoException, dataDir: string): string => {
  const path = error.path ?? dataDir
  switch (error.code) {
    case "ENOTDIR":
      return `${fileIn(path)} is a file, not a folder.`
    case "EACCES":
    case "EPERM":
      return `${nameOfUser()} cannot write there. Change the owner of the folder, or choose another folder.`
    case "EROFS":
      return "its file system is read-only. Choose another folder."
    case "ENOSPC":
    case "EDQUOT":
      return diskFull
    case "ENAMETOOLONG":
      return "its path is too long."
    case "ELOOP":
      return "its symbolic links form a loop."
    case "ENOENT": {
      const target = linkIn(path)
      return target === undefined
        ? "the folder cannot be created. Choose another folder."
        : `it is a symbolic link to ${target}, which does not exist.`
    }
    default:
      return error.message
  }
}

/** Whether a program's complaint is that there is no room. */
export const isDiskFull = (output: string): boolean =>
  /No space left on device|Disk quota exceeded/i.test(output)

export const diskFull =
  "its disk is full. Free up space, or choose a folder on another disk. A new database takes 60 MB."

/** The part of a path that is a file. */
const fileIn = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : fileIn(dirname(path))

const linkIn = (path: string): string | undefined =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined

const nameOfUser = (): string => {
  try {
    return `The user ${userInfo().username}`
  } catch {
    // Node throws where the running user has no name.
    return `The user with the id ${process.getuid?.()}`
  }
}
