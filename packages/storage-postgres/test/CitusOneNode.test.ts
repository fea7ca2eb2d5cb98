/** Accepting and recording write rows on one node of the cluster at `CITUS_URL`. */

import { expect, it } from "@effect/vitest"
import { GroupFilter } from "@errata/core"
import { Recorder, RecorderWorker } from "@errata/core/internal"
import { GroupStore, PendingPayloads } from "@errata/core/ports"
import { Given, TestDecoder } from "@errata/testing"
import { DateTime, Effect, Layer, Redacted } from "effect"
import pg from "pg"
import * as Distribution from "../src/internal/Distribution.js"
import * as PostgresClient from "../src/PostgresClient.js"
import * as PostgresStorage from "../src/PostgresStorage.js"
import { clusterUrl, freshCluster } from "./support/citus.js"
import { execute } from "./support/direct.js"

interface Sent {
  readonly command: string
  readonly server: string
}

/** Collects the commands that the coordinator sends to other nodes, until the scope closes. */
const sent = Effect.acquireRelease(
  Effect.sync(() => {
    const commands: Array<Sent> = []
    const { emit } = pg.Client.prototype
    pg.Client.prototype.emit = function (this: pg.Client, event: string | symbol, ...args: Array<never>) {
      const [notice] = args as ReadonlyArray<{ readonly message?: string; readonly detail?: string }>
      if (event === "notice" && notice?.message?.startsWith("issuing ")) {
        commands.push({
          command: notice.message.slice(8),
          server: /@(\S+)/.exec(notice.detail ?? "")?.[1] ?? "",
        })
      }
      return emit.call(this, event, ...args)
    } as typeof emit
    return { commands, emit }
  }),
  ({ emit }) =>
    Effect.sync(() => {
      pg.Client.prototype.emit = emit
    }),
)

const layer = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* freshCluster
    yield* Effect.provide(Distribution.distribute({ buckets: 2 }), PostgresClient.layerMigration({ url }))
    const name = new URL(Redacted.value(url)).pathname.slice(1)
    yield* Effect.promise(() =>
      execute(Redacted.value(url), `ALTER DATABASE ${name} SET citus.log_remote_commands TO on`),
    )
    return Layer.provideMerge(PostgresStorage.layerStores, PostgresClient.layer({ url }))
  }),
)

const recorder = Recorder.Default.pipe(Layer.provide(TestDecoder.layer))

it.live.skipIf(clusterUrl === undefined)(
  "accepts and records on one node",
  () =>
    Effect.gen(function* () {
      const { id: projectId } = yield* Given.project()
      const pending = yield* PendingPayloads
      const fill = (group: string) =>
        pending
          .append([
            TestDecoder.payload(projectId, { group, release: "1.0", tags: { region: "eu" } }),
            TestDecoder.payload(projectId, { group: `${group} too`, release: "1.1" }),
          ])
          .pipe(Effect.andThen(RecorderWorker.drain), Effect.provide(recorder))
      yield* fill("first")
      const { commands } = yield* sent
      yield* fill("second")
      const groups = yield* GroupStore
      const { items } = yield* groups.list(
        projectId,
        GroupFilter.all,
        { limit: 10, cursor: null },
        yield* DateTime.now,
      )
      expect(items).toHaveLength(4)

      // Not those of leases, which look into all buckets; and all rows that are written, but no results in between.
      const changes = commands.filter(
        ({ command }) =>
          !command.includes("claimed_until") &&
          /^\s*(INSERT INTO|UPDATE|DELETE FROM|WITH|COPY) .*errata_b\d/s.test(command) &&
          /\b(INSERT|UPDATE|DELETE|COPY)\b/.test(command),
      )
      expect(changes.length).toBeGreaterThan(5)
      expect(new Set(changes.map(({ server }) => server)).size).toBe(1)
    }).pipe(Effect.scoped, Effect.provide(layer)),
  120_000,
)
