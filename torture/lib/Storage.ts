/** The storage of a scenario's nodes: a folder or database of its own, accessed only from outside. */
import { randomUUID } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import type { Cleanup } from "./Cleanup.js"
import * as Node from "./Node.js"

export type StorageKind = "embedded" | "postgres"

export interface Storage {
  readonly kind: StorageKind
  /** Arguments of nodes on this storage. */
  readonly args: ReadonlyArray<string>
  /** The database's URL; null for an embedded one, which belongs to its node. */
  readonly url: string | null
}

/** A data folder that does not exist yet. */
export const embedded = async (cleanup: Cleanup): Promise<Storage> => {
  const folder = await mkdtemp(join(tmpdir(), "errata-torture-"))
  cleanup.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }))
  return folderStorage(join(folder, "data"))
}

export const folderStorage = (dataDir: string): Storage => ({
  kind: "embedded",
  args: ["--storage", "embedded", "--data-dir", dataDir],
  url: null,
})

/** An empty database on the server. */
export const postgres = async (serverUrl: string, cleanup: Cleanup): Promise<Storage> => {
  const name = `errata_torture_${randomUUID().replaceAll("-", "")}`
  await query(serverUrl, `CREATE DATABASE ${name}`)
  cleanup.defer(async () => {
    await query(
      serverUrl,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND usename = current_user`,
    )
    await query(serverUrl, `DROP DATABASE IF EXISTS ${name}`)
  })
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return databaseStorage(url.href)
}

export const databaseStorage = (url: string): Storage => ({
  kind: "postgres",
  args: ["--storage", "postgres", "--database-url", url],
  url,
})

/** Counts the dead letters. An embedded database must not have a running node meanwhile. */
export const deadLetters = async (bin: string, storage: Storage): Promise<number> => {
  const output = await Node.run(bin, ["dead-letters", "list", "--all", "--json", ...storage.args])
  return output.split("\n").filter((line) => line.startsWith("{")).length
}

export const query = async (url: string, statement: string): Promise<ReadonlyArray<pg.QueryResultRow>> => {
  const client = new pg.Client({ connectionString: url })
  client.on("error", () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
