/** Requires `nats-server`, for example from the Debian package of that name. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "@effect/vitest"
import { AccessPolicy, Actor, CurrentActor, DeadLetters, GroupFilter, Groups, Page } from "@errata/core"
import { MemoryStorage } from "@errata/storage-memory"
import { AckPolicy, jetstreamManager } from "@nats-io/jetstream"
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { Effect, Fiber, Layer, Schedule } from "effect"
import { Errata, FirstProject } from "errata/effect"
import { afterAll, beforeAll, describe, expect, vi } from "vitest"
import { consume, failures } from "../NatsConsumer.js"

const isInstalled = (() => {
  try {
    execFileSync("nats-server", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    console.log("nats-server is not installed: the NATS consumer was not tested.")
    return false
  }
})()

const instance = Errata.layer({ transports: [failures] }).pipe(Layer.provideMerge(MemoryStorage.layer))

/** Polls until a value is there. */
const eventually = <A, E, R>(effect: Effect.Effect<A, E, R>, isThere: (value: A) => boolean) =>
  effect.pipe(
    Effect.filterOrFail(isThere, () => new Error("It is still not there")),
    Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 3_000 }),
  )

describe.runIf(isInstalled)("a consumer of NATS", () => {
  const folder = mkdtempSync(join(tmpdir(), "errata-nats-"))
  let server: ChildProcess
  let servers: string
  let connection: NatsConnection

  beforeAll(async () => {
    const options = ["--jetstream", "--store_dir", folder, "--addr", "127.0.0.1", "--port", "-1"]
    server = spawn("nats-server", [...options, "--ports_file_dir", folder], { stdio: "ignore" })
    const ports = join(folder, `nats-server_${server.pid}.ports`)
    const read = () => JSON.parse(readFileSync(ports, "utf8")) as { readonly nats: ReadonlyArray<string> }
    // The file is not complete as soon as it is there.
    servers = (await vi.waitFor(read, { timeout: 60_000 })).nats[0]!
    connection = await connect({ servers })
    const manager = await jetstreamManager(connection)
    await manager.streams.add({ name: "FAILURES", subjects: ["failures"] })
    await manager.consumers.add("FAILURES", { durable_name: "errata", ack_policy: AckPolicy.Explicit })
  })
  afterAll(async () => {
    await connection.close()
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  const publish = (...bodies: ReadonlyArray<string>) =>
    Effect.promise(async () => {
      for (const body of bodies) connection.publish("failures", body)
      await connection.flush()
    })

  const unacknowledged = Effect.promise(async () => {
    const manager = await jetstreamManager(connection)
    const info = await manager.consumers.info("FAILURES", "errata")
    return info.num_ack_pending + info.num_pending
  })

  it.live("records failures, sets unreadable ones aside, and acknowledges both", () =>
    Effect.gen(function* () {
      const { id } = yield* FirstProject
      const consumer = yield* Effect.forkChild(
        consume(id, { servers, stream: "FAILURES", consumer: "errata" }),
      )
      yield* publish(`{"job":"send-invoices","host":"worker-7","error":"no template"}`, `{"job":1}`)

      const groups = yield* Groups
      const readable = yield* AccessPolicy.project("groups.read", id)
      const { items } = yield* eventually(
        groups.list(readable, GroupFilter.all, Page.first),
        (page) => page.items.length === 1,
      )
      expect(items).toMatchObject([{ errorType: "JobFailure", errorMessage: "no template" }])
      const letters = yield* DeadLetters
      const found = yield* eventually(
        letters.list(yield* AccessPolicy.instance("ingest.inspect"), Page.first),
        (page) => page.items.length === 1,
      )
      expect(found.items[0]?.reason).toContain("job")
      yield* eventually(unacknowledged, (count) => count === 0)
      yield* Fiber.interrupt(consumer)
    }).pipe(Effect.provideService(CurrentActor, Actor.System()), Effect.provide(instance)),
  )
})
