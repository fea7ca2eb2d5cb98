/** The PostgreSQL that everything is measured on, and a fresh database on it for every scenario. */
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EmbeddedPostgres } from "@errata/storage-postgres/embedded"
import { Effect, Exit, Redacted, References, Scope } from "effect"
import pg from "pg"
import { defer, ownFolder } from "./cleanup.mjs"

/** `DATABASE_URL`, else a throw-away server with the durability that a real one has. */
export const startDatabase = async () => {
  if (process.env.DATABASE_URL) return { url: process.env.DATABASE_URL, stop: async () => {} }
  const dataDir = ownFolder(await mkdtemp(join(tmpdir(), "errata-bench-db-")))
  const scope = Effect.runSync(Scope.make())
  const stop = defer(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const server = await EmbeddedPostgres.make({ dataDir, durable: true }).pipe(
    Scope.provide(scope),
    Effect.provideService(References.MinimumLogLevel, "Warn"),
    Effect.runPromise,
  )
  return { url: Redacted.value(server.superuserUrl), stop }
}

/** A connected client that is told of a lost connection by its next query, and not by an event that ends the process. */
export const connect = async (url) => {
  const client = new pg.Client(url)
  client.on("error", () => {})
  await client.connect()
  return client
}

let databases = 0

/** An empty database with a name of its own, dropped by `drop`. */
export const createDatabase = async (serverUrl) => {
  const name = `errata_bench_${process.pid}_${databases++}`
  const admin = await connect(serverUrl)
  await admin.query(`CREATE DATABASE ${name}`)
  const drop = defer(async () => {
    await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await admin.end()
  })
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const one = async (text) => Object.values((await admin.query(text)).rows[0])[0]
  return {
    url: url.href,
    drop,
    version: () => one("SHOW server_version"),
    /** Data and indexes, in bytes. */
    size: async () => Number(await one(`SELECT pg_database_size('${name}')`)),
    /** Transactions committed so far. */
    commits: async () =>
      Number(await one(`SELECT xact_commit FROM pg_stat_database WHERE datname = '${name}'`)),
    /** So that a scenario does not pay for what the one before it wrote. Needs a right that not everyone has. */
    checkpoint: () => admin.query("CHECKPOINT").catch(() => {}),
  }
}
