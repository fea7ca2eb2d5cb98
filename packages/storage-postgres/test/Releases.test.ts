import { describe, expect, it } from "@effect/vitest"
import { ReleaseStore } from "@errata/core/ports"
import { Given } from "@errata/testing"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import * as Node from "./support/node.js"

describe("releases", () => {
  it.live("are made anew where somebody removes them while they are changed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const releases = yield* ReleaseStore
      const project = yield* Given.project()
      const now = yield* DateTime.now
      const change = releases.upsert(project.id, "shop@1", { url: "https://example.com" }, now)
      const first = yield* change
      const isRemoved = yield* Deferred.make<void>()
      const changing = yield* Effect.forkChild(Effect.andThen(Deferred.await(isRemoved), change))
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT FROM errata.releases WHERE project_id = ${project.id} FOR UPDATE`
          yield* Deferred.succeed(isRemoved, undefined)
          yield* Effect.repeat(
            sql`
              SELECT count(*)::int AS waiting FROM pg_locks
              WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`,
            { until: ([row]) => row?.["waiting"] === 1 },
          )
          yield* sql`DELETE FROM errata.releases WHERE project_id = ${project.id}`
        }),
      )
      const { isNew, release } = yield* Fiber.join(changing)
      expect([isNew, release.id === first.release.id, release.url]).toEqual([
        true,
        false,
        "https://example.com",
      ])
    }).pipe(Effect.provide(Node.layer())),
  )
})
