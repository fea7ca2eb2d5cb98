/** Creates the data folder and explains failures. */
import { existsSync, lstatSync, readlinkSync } from "node:fs"
import { mkdir, stat } from "node:fs/promises"
import { userInfo } from "node:os"
import { dirname } from "node:path"
import { Effect } from "effect"
import { DataFolderUnusable } from "../EmbeddedPostgresError.js"

/** Creates the folder and its missing parents with mode 0700. */
export const ensure = (dataDir: string): Effect.Effect<void, DataFolderUnusable> =>
  Effect.tryPromise({ try: () => make(dataDir), catch: unusable(dataDir) })

/** Describes a file system error in words. */
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
    // Not recursive `mkdir`: in folders such as /proc, Node's version never returns.
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

/** Returns whether a program's output reports a full disk. */
export const isDiskFull = (output: string): boolean =>
  /No space left on device|Disk quota exceeded/i.test(output)

export const diskFull =
  "its disk is full. Free up space, or choose a folder on another disk. A new database takes 60 MB."

/** The part of a path that is an existing file. */
const fileIn = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : fileIn(dirname(path))

const linkIn = (path: string): string | undefined =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined

const nameOfUser = (): string => {
  try {
    return `The user ${userInfo().username}`
  } catch {
    // Node throws if the user has no name.
    return `The user with the id ${process.getuid?.()}`
  }
}
