/** A database that only accepts encrypted connections, like hosted ones. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createSecureContext, TLSSocket } from "node:tls"
import { inspect } from "node:util"
import { expect, it } from "@effect/vitest"
import { StorageError } from "@errata/core"
import { Given } from "@errata/testing"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { certificate, privateKey } from "./support/certificate.js"
import { freshDatabase } from "./support/database.js"
import { listen, targetOf, viaLoopback } from "./support/way.js"

/** The SSLRequest message: its length and a magic number. */
const wantsEncryption = (chunk: Buffer) => chunk.length === 8 && chunk.readInt32BE(4) === 80_877_103

const database = Effect.gen(function* () {
  const original = yield* freshDatabase
  const secureContext = createSecureContext({ cert: certificate, key: privateKey })
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer((client) => {
    sockets.add(client.on("error", () => {}))
    client.once("data", (chunk) => {
      if (!wantsEncryption(chunk)) return client.destroy()
      client.write("S")
      const decrypted = new TLSSocket(client, { isServer: true, secureContext }).on("error", () => {})
      const toDatabase = connect(targetOf(original)).on("error", () => {})
      decrypted.on("data", (data) => isSilent || toDatabase.write(data))
      toDatabase.on("data", (data) => decrypted.write(data))
      client.on("close", () => toDatabase.destroy())
    })
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => sockets.forEach((socket) => socket.destroy())))
  const port = yield* listen(server)
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "errata-tls-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true })),
  )
  const rootCertificate = join(folder, "root.crt")
  writeFileSync(rootCertificate, certificate)
  const url = (parameters: Readonly<Record<string, string>>) => {
    const address = new URL(Redacted.value(viaLoopback(original, port)))
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
    return Redacted.make(address.href)
  }
  return {
    plain: url({}),
    trusted: url({ sslmode: "verify-full", sslrootcert: rootCertificate }),
    untrusted: url({ sslmode: "verify-full" }),
    silence: () => {
      isSilent = true
    },
  }
})

it.live("is used over TLS, and notices a server that no longer responds", () =>
  Effect.gen(function* () {
    const { silence, trusted } = yield* database
    yield* Effect.gen(function* () {
      expect((yield* Given.project()).id).toBeTypeOf("number")
    }).pipe(Effect.provide(PostgresStorage.layer({ url: trusted })))
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
      silence()
      const error = yield* Effect.flip(sql`SELECT 2`)
      expect(String(error.reason.cause)).toContain("has not responded")
    }).pipe(Effect.provide(PostgresClient.layer({ url: trusted, answerTimeout: "1 second" })))
  }).pipe(Effect.scoped),
)

it.live("is refused without TLS, and with a certificate that is not trusted", () =>
  Effect.gen(function* () {
    const { plain, untrusted } = yield* database
    const refused = (url: Redacted.Redacted) =>
      Effect.flip(Effect.provide(SqlClient.SqlClient, PostgresClient.layer({ url })))
    expect(yield* refused(plain)).toBeInstanceOf(StorageError)
    expect(inspect(yield* refused(untrusted), { depth: 8 })).toContain("self-signed certificate")
  }).pipe(Effect.scoped),
)
