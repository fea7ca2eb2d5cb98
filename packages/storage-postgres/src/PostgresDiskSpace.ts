/**
 * Measures the file system that holds the database, if the server's data directory is on this host. A folder of the
 * same path proves nothing: the server may run in a container or behind a tunnel. The folder must therefore contain the
 * system identifier of the connected cluster.
 */

import { open, statfs } from "node:fs/promises"
import { endianness } from "node:os"
import { join } from "node:path"
import { DiskSpace, DiskUnmeasurable, type DiskUse } from "@errata/core/ports"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "./internal/Rows.js"
import { nullable, text } from "./internal/SqlType.js"

/** Measures the file system of `path`, or by default that of the server's data directory. */
export const layer = (path: string | undefined): Layer.Layer<DiskSpace, never, SqlClient.SqlClient> =>
  Layer.effect(
    DiskSpace,
    Effect.gen(function* () {
      if (path !== undefined) return { measure: measureAt(path) }
      const sql = yield* SqlClient.SqlClient
      // Checked again every minute: the address may lead to another server later.
      const folder = yield* Effect.cachedWithTTL(Effect.result(findFolder(sql)), "1 minute")
      return {
        measure: Effect.flatMap(folder, (found) =>
          Result.isFailure(found) ? found.failure : measureAt(found.success),
        ),
      }
    }),
  )

// internal

const measureAt = (path: string): Effect.Effect<DiskUse, DiskUnmeasurable> =>
  Effect.tryPromise({
    try: () => statfs(path),
    catch: (error) => new DiskUnmeasurable({ reason: reasonOf(error) }),
  }).pipe(
    Effect.map(({ bavail, blocks, bsize }) => ({ totalBytes: blocks * bsize, freeBytes: bavail * bsize })),
  )

/** Returns the server's data directory, if it is on this host. */
const findFolder = (sql: SqlClient.SqlClient): Effect.Effect<string, DiskUnmeasurable> =>
  Effect.gen(function* () {
    // Null for roles without permission to read the setting.
    const [row] = yield* sql`
      SELECT (SELECT setting FROM pg_settings WHERE name = 'data_directory') AS folder,
        (SELECT system_identifier::text FROM pg_control_system()) AS identifier`.pipe(
      Effect.mapError((error) => elsewhere(reasonOf(error))),
    )
    const { folder, identifier } = folderRows.read(row!)
    if (folder === null)
      return yield* elsewhere("the database role may not read the location of the data directory")
    const found = yield* Effect.tryPromise({
      try: () => identifierIn(folder),
      catch: (error) =>
        elsewhere(`the files of the database server cannot be read on this host: ${reasonOf(error)}`),
    })
    if (found !== identifier) return yield* elsewhere("the database is on another host")
    return folder
  })

const folderRows = Rows.make({ folder: nullable(text()), identifier: text() })

/** Reads the system identifier, the first eight bytes of a cluster's control file. */
const identifierIn = async (folder: string): Promise<string> => {
  const file = await open(join(folder, "global", "pg_control"))
  try {
    const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 0)
    return String(endianness() === "LE" ? buffer.readBigUInt64LE() : buffer.readBigUInt64BE())
  } finally {
    await file.close()
  }
}

const elsewhere = (reason: string) =>
  new DiskUnmeasurable({
    reason: `${reason}. Set ERRATA_DATABASE_DISK_PATH to a path on the same file system`,
    why: "elsewhere",
  })

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
