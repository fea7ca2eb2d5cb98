/** Durable files in a folder. */
import { randomUUID } from "node:crypto"
import type { Stats } from "node:fs"
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Duration } from "effect"

/** The folder of files that are being written, in the one of all files. */
export const temporary = "tmp"

/** Makes the folder, and removes parts of files that killed processes have left. */
export const prepare = async (path: string, now: number): Promise<void> => {
  const folder = join(path, temporary)
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder)) {
    const file = join(folder, name)
    const writtenAt = (await statOf(file))?.mtimeMs
    if (writtenAt !== undefined && writtenAt < now - unfinishedMillis) await rm(file, { force: true })
  }
}

/** A file without a name yet. */
export const unfinished = (path: string, name: string = randomUUID()): string => join(path, temporary, name)

/** Ends a file that is being written. It gets its name when all of it is on the disk: a file with a name is whole. */
export const finish = async (handle: FileHandle, from: string, to: string): Promise<void> => {
  await handle.sync()
  await handle.close()
  await rename(from, to)
}

/** The name of a file is durable with its folder, and a new folder with the one above, up to `path`. */
export const syncNames = async (path: string, folder: string): Promise<void> => {
  await sync(folder)
  if (folder !== path) await syncNames(path, dirname(folder))
}

/** Null if there is no such file. */
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

/** Other nodes may be writing files. */
const unfinishedMillis = Duration.toMillis("1 hour")

const sync = async (directory: string): Promise<void> => {
  const handle = await open(directory, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
