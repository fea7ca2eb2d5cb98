/** Durable files in a folder. */
import { randomUUID } from "node:crypto"
import type { Stats } from "node:fs"
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Duration } from "effect"

/** The subfolder for files that are being written. */
export const temporary = "tmp"

/** Creates the folder and removes partial files of killed processes. */
export const prepare = async (path: string, now: number): Promise<void> => {
  const folder = join(path, temporary)
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder)) {
    const file = join(folder, name)
    const writtenAt = (await statOf(file))?.mtimeMs
    if (writtenAt !== undefined && writtenAt < now - unfinishedMillis) await rm(file, { force: true })
  }
}

/** Path of a new temporary file. */
export const unfinished = (path: string, name: string = randomUUID()): string => join(path, temporary, name)

/** Syncs a file and renames it to its final name, so that a file with a final name is complete. */
export const finish = async (handle: FileHandle, from: string, to: string): Promise<void> => {
  await handle.sync()
  await handle.close()
  await rename(from, to)
}

/** Syncs the folders from a file's up to `path`, which makes the names durable. */
export const syncNames = async (path: string, folder: string): Promise<void> => {
  await sync(folder)
  if (folder !== path) await syncNames(path, dirname(folder))
}

/** Returns null if the file does not exist. */
export const orNull = async <A>(work: Promise<A>): Promise<A | null> => {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null
    throw error
  }
}

export const statOf = (file: string): Promise<Stats | null> => orNull(stat(file))

// internal

/** Other nodes may still be writing newer files. */
const unfinishedMillis = Duration.toMillis("1 hour")

const sync = async (directory: string): Promise<void> => {
  const handle = await open(directory, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
