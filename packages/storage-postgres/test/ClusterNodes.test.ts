/**
 * Connections to the workers of a cluster. Coordinator and worker are one server here, and a proxy leads to the worker.
 * `CitusWorkers.test.ts` runs on a cluster.
 */
import { connect, createServer, type Socket } from "node:net"
import { expect, it } from "@effect/vitest"
import type { ProjectId } from "@errata/core"
import { Recorder, RecorderWorker } from "@errata/core/internal"
import { PendingPayloads, ProjectStore, Storage } from "@errata/core/ports"
import { Given, TestDecoder } from "@errata/testing"
import { Cause, Effect, Exit, Layer, Option, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as Buckets from "../src/internal/Buckets.js"
import * as Distribution from "../src/internal/Distribution.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { asCluster } from "./support/buckets.js"
import { migratedDatabase } from "./support/database.js"
import { listen, targetOf, viaLoopback } from "./support/way.js"

const distributed = Effect.tap(migratedDatabase, (url) =>
  Effect.provide(
    Effect.andThen(Distribution.distribute({ buckets: 2, onCitus: false }), asCluster),
    PostgresClient.layerMigration({ url }),
  ),
)

/** A proxy to a database, which can be cut. */
const wayTo = (database: Redacted.Redacted) =>
  Effect.gen(function* () {
    const open = new Set<Socket>()
    let isCut = false
    let said = ""
    const server = createServer((client) => {
      if (isCut) return void client.destroy()
      const toDatabase = connect(targetOf(database))
      for (const socket of [client, toDatabase]) {
        open.add(socket)
        socket.on("error", () => {})
        socket.on("close", () => {
          client.destroy()
          toDatabase.destroy()
        })
      }
      client.on("data", (chunk) => {
        said += chunk.toString("latin1")
      })
      client.pipe(toDatabase).pipe(client)
    })
    const port = yield* listen(server)
    const cut = () => {
      isCut = true
      for (const socket of open) socket.destroy()
    }
    return { url: viaLoopback(database, port), cut, said: () => said }
  })

const storesOf = (options: PostgresClient.PostgresOptions) =>
  Layer.provideMerge(PostgresStorage.layerStores, PostgresClient.layer(options))

const recorder = Recorder.Default.pipe(Layer.provide(TestDecoder.layer))

const append = (projectId: ProjectId, group: string) =>
  Effect.flatMap(PendingPayloads, (pending) => pending.append([TestDecoder.payload(projectId, { group })]))

const recorded = (projectId: ProjectId) =>
  Effect.gen(function* () {
    yield* Effect.provide(RecorderWorker.drain, recorder)
    const found = yield* (yield* ProjectStore).find(projectId)
    return Option.getOrThrow(found).reportsCount
  })

it.live("a worker that is no longer reached costs no event", () =>
  Effect.gen(function* () {
    const url = yield* distributed
    const worker = yield* wayTo(url)
    yield* Effect.gen(function* () {
      const { id: projectId } = yield* Given.project()
      yield* append(projectId, "before")
      expect(yield* recorded(projectId)).toBe(1)
      expect(worker.said()).toMatch(/INSERT INTO errata_b\d\.reports/)
      worker.cut()
      // Statements fail on connections of the pool that have just been lost. Senders and recorders repeat them.
      const again = { times: 20, schedule: Schedule.spaced("50 millis") }
      yield* Effect.retry(append(projectId, "after"), again)
      expect(yield* Effect.retry(recorded(projectId), again)).toBe(2)
    }).pipe(Effect.provide(storesOf({ url, workerUrls: [worker.url] })))
  }).pipe(Effect.scoped),
)

it.live("a transaction on a worker refuses statements for the coordinator", () =>
  Effect.gen(function* () {
    const url = yield* distributed
    yield* Effect.gen(function* () {
      const { id: projectId } = yield* Given.project()
      const storage = yield* Storage
      const sql = yield* SqlClient.SqlClient
      const now = sql`errata.now()`
      for (const statement of [
        sql`SELECT nextval('errata.report_ids')`,
        sql`INSERT INTO errata.notes (project_id, group_id, content, automated, created_at) VALUES (1, 1, '', true, ${now})`,
        sql`INSERT INTO errata.reports (project_id) VALUES (1)`,
        sql`UPDATE errata.projects SET name = name`,
        sql`SELECT * FROM errata.settings`,
      ]) {
        const exit = yield* Effect.exit(
          storage.transaction(Buckets.within(projectId % 2)(statement), [projectId]),
        )
        expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain(
          "contains a statement for the coordinator",
        )
      }
    }).pipe(Effect.provide(storesOf({ url, workerUrls: [url] })))
  }).pipe(Effect.scoped),
)

it.live("a worker that cannot be reached, or whose URL has several hosts, does not stop a start", () =>
  Effect.gen(function* () {
    const url = yield* distributed
    const worker = yield* wayTo(url)
    worker.cut()
    const two = new URL(Redacted.value(worker.url))
    const urls = [
      worker.url,
      Redacted.make(`postgres://app@127.0.0.1:${two.port},127.0.0.1:${two.port}/errata`),
    ]
    yield* Effect.gen(function* () {
      const { id: projectId } = yield* Given.project()
      yield* append(projectId, "one")
      expect(yield* recorded(projectId)).toBe(1)
    }).pipe(Effect.provide(storesOf({ url, workerUrls: urls })))
  }).pipe(Effect.scoped),
)
