/** A database on several hosts. */
import { createServer } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Given } from "@errata/testing"
import { Effect, Exit, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as DatabaseHosts from "../src/internal/DatabaseHosts.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { freshDatabase } from "./support/database.js"
import * as Replicated from "./support/replicated.js"
import { listen } from "./support/way.js"

const hostsOf = (url: string) => DatabaseHosts.parse(url)?.hosts

describe("the hosts of a database URL", () => {
  it("are left to the driver if there is only one", () => {
    expect(DatabaseHosts.parse("postgres://user:secret@db:5433/errata?sslmode=require")).toBe(null)
    expect(DatabaseHosts.parse("postgres://user@localhost/errata?host=%2Frun%2Fpostgresql")).toBe(null)
  })

  it("have their own ports, and share user, database and parameters", () => {
    expect(hostsOf("postgres://ada:a%2Cb@a,[::1]:5433,c:5434/errata?sslmode=require")).toEqual([
      { name: "a", url: "postgres://ada:a%2Cb@a/errata?sslmode=require" },
      { name: "[::1]:5433", url: "postgres://ada:a%2Cb@[::1]:5433/errata?sslmode=require" },
      { name: "c:5434", url: "postgres://ada:a%2Cb@c:5434/errata?sslmode=require" },
    ])
  })

  it("may be a list of sockets", () => {
    expect(hostsOf("postgresql://ada@x/errata?host=/run/a,/run/b&port=5433,5434")).toEqual([
      { name: "/run/a:5433", url: "postgresql://ada@x/errata?host=%2Frun%2Fa&port=5433" },
      { name: "/run/b:5434", url: "postgresql://ada@x/errata?host=%2Frun%2Fb&port=5434" },
    ])
    expect(hostsOf("postgres://x/errata?host=a,b&port=5433")).toEqual([
      { name: "a:5433", url: "postgres://x/errata?host=a&port=5433" },
      { name: "b:5433", url: "postgres://x/errata?host=b&port=5433" },
    ])
  })

  it("accept writes unless any host will do", () => {
    const mustWrite = (url: string) => DatabaseHosts.parse(url)?.mustWrite
    expect(mustWrite("postgres://a,b/errata")).toBe(true)
    expect(mustWrite("postgres://a,b/errata?target_session_attrs=primary")).toBe(true)
    expect(mustWrite("postgres://a/errata?target_session_attrs=read-write")).toBe(true)
    expect(mustWrite("postgres://a,b/errata?target_session_attrs=any")).toBe(false)
  })
})

/** Fails unless the database accepts a statement. */
const use = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql`SELECT 1 AS one`
  }).pipe(Effect.provide(PostgresClient.layer({ url: Redacted.make(url) })))

const withHosts = (url: Redacted.Redacted, hosts: string, parameters = ""): string => {
  const { pathname, username } = new URL(Redacted.value(url))
  return `postgres://${username}@${hosts}${pathname}${parameters}`
}

it.live("rejects a URL that requires a read-only host", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(use("postgres://127.0.0.1:1,127.0.0.1:2/x?target_session_attrs=standby"))
    expect(String((error as { readonly cause: unknown }).cause)).toContain(
      "target_session_attrs must be read-write, primary or any, not standby",
    )
  }),
)

it.live("skips hosts that refuse connections, do not answer or are read-only", () =>
  Effect.gen(function* () {
    const { first, second, url } = yield* Replicated.make
    const { host } = new URL(Redacted.value(first))
    const { host: standby } = new URL(Redacted.value(second))
    const silent = yield* listen(createServer(() => {}))
    const hosts = (...names: ReadonlyArray<string>) => withHosts(first, names.join(","))
    expect(yield* use(hosts("127.0.0.1:1", host))).toEqual([{ one: 1 }])
    expect(yield* use(hosts(standby, host))).toEqual([{ one: 1 }])
    expect(yield* use(hosts(`127.0.0.1:${silent}`, host))).toEqual([{ one: 1 }])
    expect(yield* use(withHosts(first, `${standby},${host}`, "?target_session_attrs=any"))).toEqual([
      { one: 1 },
    ])

    const error = yield* Effect.flip(use(hosts("127.0.0.1:1", standby)))
    expect(error).toMatchObject({ _tag: "StorageError", operation: "connect", reason: "unavailable" })
    const { message } = (error as { readonly cause: Error }).cause
    expect(message).toContain("No host of the database accepts writes")
    expect(message).toContain("127.0.0.1:1: connect ECONNREFUSED")
    expect(message).toContain(`${standby}: the server is read-only`)
    expect(Redacted.value(url)).toContain(`${host},${standby}`)
  }).pipe(Effect.scoped),
)

it.live("continues with the promoted standby, and stays there", () =>
  Effect.gen(function* () {
    const database = yield* Replicated.make
    yield* Effect.gen(function* () {
      const before = yield* Given.project()
      yield* database.killFirst
      expect(Exit.isFailure(yield* Effect.exit(Given.project()))).toBe(true)
      yield* database.promoteSecond
      const after = yield* Given.project()
      expect(after.id).toBeGreaterThan(before.id)
      yield* database.startFirstReadOnly
      expect((yield* Given.project()).id).toBeGreaterThan(after.id)
    }).pipe(Effect.provide(PostgresStorage.layer({ url: database.url })))
    // A new start also finds it, although the first host responds.
    yield* Effect.provide(Given.project(), PostgresStorage.layer({ url: database.url }))
  }).pipe(Effect.scoped),
)

it.live("leaves a server that becomes read-only", () =>
  Effect.gen(function* () {
    const original = yield* freshDatabase
    const direct = Redacted.value(original)
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE t (a integer)`
      const pid = sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`
      const [before] = yield* pid
      yield* sql`SET default_transaction_read_only = on`
      expect(yield* Effect.flip(sql`INSERT INTO t VALUES (1)`)).toBeDefined()
      const [after] = yield* pid
      expect(after).not.toEqual(before)
      yield* sql`INSERT INTO t VALUES (1)`
    }).pipe(Effect.provide(PostgresClient.layer({ url: Redacted.make(direct), maxConnections: 1 })))
  }).pipe(Effect.scoped),
)
