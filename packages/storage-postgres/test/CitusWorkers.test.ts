/** Servers that connect to the workers of the cluster at `CITUS_URL`. */

import { expect, it } from "@effect/vitest"
import { GroupFilter, type ProjectId } from "@errata/core"
import { Recorder, RecorderWorker } from "@errata/core/internal"
import { GroupStore, PendingPayloads } from "@errata/core/ports"
import { Given, TestDecoder } from "@errata/testing"
import { DateTime, Effect, Layer, Redacted } from "effect"
import * as Distribution from "../src/internal/Distribution.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { type Cluster, clusterOf, clusterUrl } from "./support/citus.js"
import { query } from "./support/direct.js"
import { listen } from "./support/remote.js"

const buckets = 2

const distributed = Effect.tap(clusterOf(), ({ url }) =>
  Effect.provide(Distribution.distribute({ buckets }), PostgresClient.layerMigration({ url })),
)

const storesOf = (options: PostgresClient.PostgresOptions) =>
  Layer.fresh(Layer.provideMerge(PostgresStorage.layerStores, PostgresClient.layer(options)))

/** Workers log what they send to other nodes. */
const logged = "?options=-c%20citus.log_remote_commands%3Don"

const throughWorkers = ({ url, workers }: Cluster) =>
  storesOf({ url, workerUrls: workers.map(({ url }) => Redacted.make(`${url}${logged}`)) })

const recorder = Recorder.Default.pipe(Layer.provide(TestDecoder.layer))

const record = (projectId: ProjectId, group: string) =>
  Effect.gen(function* () {
    yield* (yield* PendingPayloads).append([
      TestDecoder.payload(projectId, { group, release: group, tags: { region: "eu" }, user: "anna" }),
    ])
    yield* Effect.provide(RecorderWorker.drain, recorder)
  })

/** Returns the address of the worker that has a project. */
const workerOf = ({ url }: Cluster, projectId: ProjectId) =>
  Effect.promise(async () => {
    const [row] = await query(
      Redacted.value(url),
      `SELECT nodename AS host, nodeport AS port FROM citus_shards
       WHERE table_name::text = 'errata_b${projectId % buckets}.here'`,
    )
    return row as { readonly host: string; readonly port: number }
  })

it.live.skipIf(clusterUrl === undefined)(
  "statements of a project go to the worker that has it, except those that take ids",
  () =>
    Effect.gen(function* () {
      const cluster = yield* distributed
      yield* Effect.gen(function* () {
        const { id: projectId } = yield* Given.project()
        const { port } = yield* workerOf(cluster, projectId)
        const { commands, statements } = yield* listen
        yield* record(projectId, "first")
        yield* record(projectId, "first")
        const { items } = yield* (yield* GroupStore).list(
          projectId,
          GroupFilter.all,
          { limit: 10, cursor: null },
          yield* DateTime.now,
        )
        expect(items.map(({ reportsCount }) => reportsCount)).toEqual([2])

        // A worker sends nothing on.
        expect(commands).toEqual([])
        const sent = [...statements.values()]
        expect(sent.length).toBeGreaterThan(25)
        const elsewhere = sent.filter(
          (statement) =>
            statement.port !== port && statement.text.includes(`errata_b${projectId % buckets}.`),
        )
        expect(elsewhere.length).toBeGreaterThan(0)
        expect(elsewhere.filter(({ text }) => !text.includes("nextval("))).toEqual([])
      }).pipe(Effect.scoped, Effect.provide(throughWorkers(cluster)))
    }).pipe(Effect.scoped),
  120_000,
)
