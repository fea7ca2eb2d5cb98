/**
 * Connections that die silently, as behind a firewall that dropped them: neither side is notified, and no data arrives.
 * A start must end, whichever statement is affected.
 */
import { connect, createServer } from "node:net"
import { expect, it } from "@effect/vitest"
import { Cause, type Duration, Effect, Exit, Fiber, Layer, Option, type Redacted } from "effect"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { freshDatabase } from "./support/database.js"
import * as HostPool from "./support/hostPool.js"
import { listen, targetOf, viaLoopback } from "./support/way.js"

/**
 * A proxy to a database. The first connection dies at the client's message number `last`, counting all messages or only
 * those that contain `words`.
 */
const way = Effect.fnUntraced(function* (database: Redacted.Redacted, last: number, words = "") {
  let said = 0
  const server = createServer((client) => {
    const toDatabase = connect(targetOf(database))
    for (const socket of [client, toDatabase]) socket.on("error", () => {})
    let isDead = false
    client.on("data", (chunk) => {
      if (!isDead && chunk.includes(words) && ++said === last) isDead = true
      if (isDead) toDatabase.destroy()
      else toDatabase.write(chunk)
    })
    toDatabase.on("data", (chunk) => client.write(chunk))
    client.on("close", () => toDatabase.destroy())
  })
  const port = yield* listen(server)
  return { url: viaLoopback(database, port), said: () => said }
})

/** With the default limit, unless the test waits for it. */
const start = (url: Redacted.Redacted, answerTimeout: Duration.Input = "15 seconds") =>
  Effect.scoped(Layer.build(PostgresStorage.layer({ url, exclusive: true, answerTimeout })))

it.live("a start fails in time, whichever of its statements gets no answer", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    yield* start(database)
    const sound = yield* way(database, Number.POSITIVE_INFINITY)
    yield* start(sound.url)
    expect(sound.said()).toBeGreaterThan(5)

    const exits = yield* Effect.forEach(
      Array.from({ length: sound.said() }, (_, i) => i + 1),
      (last) => Effect.flatMap(way(database, last), ({ url }) => Effect.exit(start(url, "2 seconds"))),
      { concurrency: "unbounded" },
    )
    // Not every loss is fatal: partitions can be created later, and the last message is a goodbye.
    const failures = exits.filter(Exit.isFailure)
    expect(failures.length).toBeGreaterThan(3)
    for (const { cause } of failures) {
      const error = Option.getOrNull(Cause.findErrorOption(cause))
      expect(error).toMatchObject({ _tag: "StorageError", reason: "unavailable" })
    }
  }),
)

const commits = [1, 2]

it.live("a start fails if a commit of its migrations gets no answer, and can be retried", () =>
  Effect.forEach(
    commits,
    (last) =>
      Effect.gen(function* () {
        const database = yield* freshDatabase
        const { said, url } = yield* way(database, last, "COMMIT")
        const failure = yield* Effect.flip(start(url, "5 seconds"))
        expect(failure).toMatchObject({ _tag: "StorageError", reason: "unavailable" })
        expect(said()).toBe(last)
        yield* start(database)
      }),
    { concurrency: "unbounded" },
  ),
)

it.live("an application's pool drops a migrating connection that stops responding", () =>
  Effect.forEach(
    commits,
    (last) =>
      Effect.gen(function* () {
        const { url } = yield* way(yield* freshDatabase, last, "COMMIT")
        const pool = yield* HostPool.onDatabase(url)
        const impatient = PostgresStorage.layerFromPool(pool, { answerTimeout: "3 seconds" })
        const failure = yield* Effect.flip(Effect.scoped(Layer.build(impatient)))
        expect(failure).toMatchObject({ _tag: "StorageError", reason: "unavailable" })
        const isFree = Effect.sync(() => pool.totalCount === pool.idleCount)
        yield* Effect.repeat(Effect.andThen(Effect.sleep("10 millis"), isFree), { until: (free) => free })
        yield* Effect.scoped(Layer.build(PostgresStorage.layerFromPool(pool)))
      }),
    { concurrency: "unbounded" },
  ),
)

it.live("a start can be interrupted at any migration statement without a response", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    for (const [last, words] of [
      [6, ""],
      [1, "BEGIN"],
      [15, ""],
      [18, ""],
    ] as const) {
      const { said, url } = yield* way(database, last, words)
      const starting = yield* Effect.forkChild(start(url, "5 seconds"))
      yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => said() >= last })
      yield* Fiber.interrupt(starting)
      expect(Exit.hasInterrupts(yield* Fiber.await(starting))).toBe(true)
    }
    // The interrupted start does not block the next one.
    yield* start(database)
  }),
)
