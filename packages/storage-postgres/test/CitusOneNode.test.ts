/** Statements of the hot paths run on one node of the cluster at `CITUS_URL`, and commit there. It may be the only node. */

import { expect, it } from "@effect/vitest"
import { GroupFilter, type StorageError } from "@errata/core"
import { Recorder, RecorderWorker } from "@errata/core/internal"
import {
  AlertStore,
  type AttemptResult,
  DeliveryStore,
  GroupEventStore,
  GroupStore,
  PendingPayloads,
  Storage,
  webhooksConsumer,
} from "@errata/core/ports"
import { Factory, Given, TestDecoder } from "@errata/testing"
import { DateTime, Duration, Effect, Layer, Redacted } from "effect"
import pg from "pg"
import * as Distribution from "../src/internal/Distribution.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { clusterOf, clusterUrl, freshCluster } from "./support/citus.js"
import { execute } from "./support/direct.js"
import { type Command, listen, type Sent, tasksOf } from "./support/remote.js"

const cluster = Effect.gen(function* () {
  const url = yield* freshCluster
  yield* Effect.provide(Distribution.distribute({ buckets: 2 }), PostgresClient.layerMigration({ url }))
  const name = new URL(Redacted.value(url)).pathname.slice(1)
  yield* Effect.promise(() =>
    execute(Redacted.value(url), `ALTER DATABASE ${name} SET citus.log_remote_commands TO on`),
  )
  return url
})

const recorder = Recorder.Default.pipe(Layer.provide(TestDecoder.layer))

const isControl = ({ text }: Command) => /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/.test(text)

const plansOf = (url: Redacted.Redacted, statements: Iterable<Sent>) =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: Redacted.value(url) })
    await client.connect()
    const plans = new Map<string, ReadonlyArray<number>>()
    for (const sent of statements) plans.set(sent.text, await tasksOf(client, sent))
    await client.end()
    return plans
  })

const succeeded: AttemptResult = {
  status: "succeeded",
  responseStatus: 200,
  error: null,
  durationMs: 1,
  pause: null,
}
const duration = Duration.minutes(1)

/** Sends what happened to webhooks, as the jobs do. */
const fanOut = Effect.gen(function* () {
  const storage = yield* Storage
  const events = yield* GroupEventStore
  const deliveries = yield* DeliveryStore
  const leased = yield* events.lease({ consumer: webhooksConsumer, limit: 10, duration })
  yield* storage.transaction(
    Effect.gen(function* () {
      for (const { projectId } of leased) {
        const webhook = yield* Given.webhook(projectId)
        yield* deliveries.insert([Factory.newDelivery({ ...webhook, projectId })], yield* DateTime.now)
      }
      yield* events.settle(webhooksConsumer, leased)
    }),
  )
  const taken = yield* deliveries.lease({ limit: 10, perTarget: 5, exceptions: [], duration })
  yield* deliveries.settle(taken.map((delivery) => ({ delivery, result: succeeded })))
  return taken.length
})

const expire = Effect.gen(function* () {
  const now = yield* DateTime.now
  yield* (yield* PendingPayloads).expireDeadLetters(now, 10)
  yield* (yield* DeliveryStore).forget(Duration.days(1), 10)
  yield* (yield* AlertStore).forgetStates(now, 10)
  const groups = yield* GroupStore
  const storage = yield* Storage
  expect(yield* storage.transaction(groups.lockExpiredMutes(now, 10))).toEqual([])
})

it.live.skipIf(clusterUrl === undefined)(
  "accepts, records, dispatches and sweeps with single-task statements, and commits on one node",
  () =>
    Effect.gen(function* () {
      const url = yield* cluster
      const { commands, sent } = yield* Effect.gen(function* () {
        const { id: projectId } = yield* Given.project()
        yield* Given.webhook(projectId)
        const pending = yield* PendingPayloads
        const { commands, statements } = yield* listen
        const fill = (group: string): Effect.Effect<void, StorageError, PendingPayloads> =>
          pending
            .append([
              TestDecoder.payload(projectId, { group, release: group, tags: { region: "eu" }, user: "anna" }),
              TestDecoder.payload(projectId, { group: `${group} too`, attachments: ["log.txt"] }),
            ])
            .pipe(Effect.andThen(RecorderWorker.drain), Effect.provide(recorder)) as never
        yield* fill("first")
        yield* fill("second")
        yield* fill("second")
        const groups = yield* GroupStore
        const page = { limit: 10, cursor: null }
        const { items } = yield* groups.list(projectId, GroupFilter.all, page, yield* DateTime.now)
        expect(items).toHaveLength(4)
        const recorded = commands.length
        expect(yield* fanOut).toBeGreaterThan(0)
        const before = commands.length
        yield* expire
        // No bucket has an expired mute, so none is held in place.
        expect(commands.slice(before).filter(({ text }) => text.includes("pinned"))).toEqual([])
        return { commands: commands.slice(0, recorded), sent: [...statements.values()] }
      }).pipe(
        Effect.scoped,
        Effect.provide(Layer.provideMerge(PostgresStorage.layerStores, PostgresClient.layer({ url }))),
      )

      expect(commands.length).toBeGreaterThan(20)
      expect(
        commands.filter(({ text }) => /^(PREPARE TRANSACTION|COPY|SELECT lock_shard)/.test(text)),
      ).toEqual([])
      // The function of a bucket runs on its node, once for each append.
      expect(commands.filter(({ text }) => text.includes("append_segments"))).toHaveLength(3)
      expect(commands.filter(({ text }) => /INSERT INTO \S*\.(segments|pending_batches)/.test(text))).toEqual(
        [],
      )
      const changes = commands.filter(
        (command) =>
          !isControl(command) &&
          !command.text.includes("claimed_until") &&
          /\b(INSERT|UPDATE|DELETE|append_segments)\b/.test(command.text),
      )
      expect(new Set(changes.map(({ server }) => server)).size).toBe(1)

      const plans = yield* plansOf(url, sent)
      expect(plans.size).toBeGreaterThan(30)
      const others = [...plans].filter(([, tasks]) => tasks.length > 0 && tasks.join() !== "1")
      expect(others).toEqual([])
    }).pipe(Effect.scoped),
  180_000,
)

it.live.skipIf(clusterUrl === undefined)(
  "records accepted events on a cluster without workers",
  () =>
    Effect.gen(function* () {
      const { url } = yield* clusterOf(0)
      yield* Effect.promise(() =>
        execute(
          Redacted.value(url),
          "SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', true) FROM pg_dist_node",
        ),
      )
      yield* Effect.provide(Distribution.distribute({ buckets: 2 }), PostgresClient.layerMigration({ url }))
      yield* Effect.gen(function* () {
        const { id: projectId } = yield* Given.project()
        const pending = yield* PendingPayloads
        yield* pending.append([TestDecoder.payload(projectId, { group: "one" })])
        yield* Effect.provide(RecorderWorker.drain, recorder)
        expect((yield* pending.size).payloads).toBe(0)
      }).pipe(
        Effect.scoped,
        Effect.provide(Layer.provideMerge(PostgresStorage.layerStores, PostgresClient.layer({ url }))),
      )
    }).pipe(Effect.scoped),
  60_000,
)
