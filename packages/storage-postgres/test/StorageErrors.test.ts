/** Classifies failures of the driver: about the data or about the connection. */

import { mkdtemp, rm } from "node:fs/promises"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Storage } from "@errata/core/ports"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import pg from "pg"
import { isTaken } from "../src/internal/PgConstraint.js"
import { statementFailed } from "../src/internal/PgSqlClient.js"
import { named, storageError } from "../src/internal/PgStorageError.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { freshDatabase } from "./support/database.js"
import { targetOf, viaLoopback } from "./support/way.js"

const reasonOf = (cause: unknown) => storageError("test")(statementFailed(cause)).reason

const systemError = (code: string) =>
  Object.assign(new Error(`write ${code}`), { code, errno: -1, syscall: "write" })

/** An error as the server sends it. */
const serverError = (code: string) =>
  Object.assign(new pg.DatabaseError("said the server", 10, "error"), { code, severity: "ERROR" })

describe("The reason of a failure", () => {
  for (const code of [
    ...Object.keys(constants.errno),
    "ERR_STREAM_DESTROYED",
    "ERR_STREAM_WRITE_AFTER_END",
  ]) {
    it(`${code}: nothing about the data`, () => {
      expect(reasonOf(systemError(code))).toBe("unavailable")
    })
  }

  const said = {
    "22P05": "rejected",
    "23505": "rejected",
    "40001": "conflict",
    "53100": "unavailable",
  } as const
  for (const [code, reason] of Object.entries(said)) {
    it(`SQLSTATE ${code}: ${reason}`, () => {
      expect(reasonOf(serverError(code))).toBe(reason)
      // As from another copy of the driver.
      expect(reasonOf({ severity: "ERROR", code })).toBe(reason)
    })
  }

  it("only errors of the server name constraints", () => {
    const taken = { code: "23505", constraint: "users_email_address" }
    const error = (cause: unknown) => statementFailed(cause)
    expect(isTaken("users_email_address")(error({ ...taken, severity: "ERROR" }))).toBe(true)
    expect(isTaken("users_email_address")(error(taken))).toBe(false)
  })
})

/** Ways to break a connection. */
const cuts = {
  "is closed": (socket: Socket) => socket.end(),
  "is destroyed": (socket: Socket) => socket.destroy(),
  "is reset": (socket: Socket) => socket.resetAndDestroy(),
} as const

/** Size of a statement, in bytes, that is cut while its parameters are sent. */
const large = 1_000_000

/** A proxy to a database whose connections can be cut. Returns its URL, the client sockets, and what to do at a message. */
const way = Effect.fnUntraced(function* (database: Redacted.Redacted, transport: "TCP" | "a Unix socket") {
  const clients = new Set<Socket>()
  const whenLarge = { run: (_: Socket): unknown => undefined }
  const whenSlept = { run: (): unknown => undefined }
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "errata-way-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
  )
  const server = createServer((client) => {
    const toDatabase = connect(targetOf(database))
    clients.add(client)
    for (const socket of [client, toDatabase]) socket.on("error", () => {})
    client.on("close", () => clients.delete(client) && toDatabase.destroy())
    toDatabase.on("close", () => client.destroy())
    let received = 0
    client.on("data", (chunk) => {
      received += chunk.length
      if (received > large) whenLarge.run(client)
      if (chunk.includes("pg_sleep")) whenSlept.run()
    })
    client.pipe(toDatabase).pipe(client)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      const listening = () => resume(Effect.void)
      if (transport === "TCP") server.listen(0, "127.0.0.1", listening)
      else server.listen(join(folder, ".s.PGSQL.5432"), listening)
    }),
    () => Effect.sync(() => server.close()),
  )
  if (transport === "TCP") {
    const url = viaLoopback(database, (server.address() as AddressInfo).port)
    return { url, clients, whenLarge, whenSlept }
  }
  const url = new URL(Redacted.value(database))
  url.searchParams.set("host", folder)
  url.port = "5432"
  return { url: Redacted.make(url.href), clients, whenLarge, whenSlept }
})

describe("A connection that breaks says nothing about the data", () => {
  for (const transport of ["TCP", "a Unix socket"] as const) {
    for (const [how, cut] of Object.entries(cuts)) {
      // Only TCP supports resets.
      if (transport !== "TCP" && cut === cuts["is reset"]) continue
      it.live(`${transport} that ${how}`, () =>
        Effect.gen(function* () {
          const { clients, url, whenLarge, whenSlept } = yield* way(yield* freshDatabase, transport)
          const stores = Layer.provideMerge(PostgresStorage.layer({ url }), PostgresClient.layer({ url }))
          yield* Effect.gen(function* () {
            const storage = yield* Storage
            const sql = yield* SqlClient.SqlClient
            whenLarge.run = cut
            whenSlept.run = () => setTimeout(() => clients.forEach(cut), 50)
            const cutAll = Effect.sync(() => clients.forEach(cut))
            const ask = named("ask")(sql`SELECT 1`)
            const breaks = {
              "between statements": storage.transaction(Effect.andThen(ask, Effect.andThen(cutAll, ask))),
              "a moment after": storage.transaction(
                Effect.andThen(ask, Effect.andThen(Effect.delay(cutAll, "20 millis"), ask)),
              ),
              "in a statement": named("sleep")(sql`SELECT pg_sleep(10)`),
              "before the commit": storage.transaction(Effect.andThen(ask, cutAll)),
              "in large parameters": named("send")(sql`SELECT length(${Buffer.alloc(large * 50)}::bytea)`),
            }
            for (const [when, statement] of Object.entries(breaks)) {
              const error = yield* Effect.flip(statement)
              expect([when, error.reason]).toEqual([when, "unavailable"])
              yield* Effect.retry(storage.ping, { times: 20 })
            }
          }).pipe(Effect.provide(stores))
        }),
      )
    }
  }
})
