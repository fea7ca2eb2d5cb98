import { describe, expect, it } from "@effect/vitest"
import { ReleaseStore, ReportStore } from "@errata/core/ports"
import { Factory, Given } from "@errata/testing"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import * as Node from "./support/node.js"

describe("releases", () => {
  it.live("are created again if deleted during a change", () =>
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

  // A public collision: https://x.com/realhashbreaker/status/1770161965006008570
  it.live("with the same MD5 neither fail a batch nor are taken for each other", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reports = yield* ReportStore
      const group = yield* Given.group((yield* Given.project()).id)
      const [first, second] = ["A", "E"].map(
        (letter) => `TEXTCOLLBYfGiJUETHQ4h${letter}cKSMd5zYpgqf1YRDhkmxHkhPWptrkoyz28wnI9V0aHeAuaKnak`,
      ) as [string, string]
      const [row] = yield* sql`SELECT md5(${first}) = md5(${second}) AS same`
      expect(row).toEqual({ same: true })
      const batch = [first, second].map((release) => Factory.newReport(group, { release }))
      yield* reports.insert(batch, yield* DateTime.now)
      const anyTime = { since: null, until: null }
      const { items } = yield* reports.list(group.projectId, group.id, anyTime, { limit: 10, cursor: null })
      const [newest, oldest] = items.map(({ releaseVersion }) => releaseVersion)
      expect(["", first]).toContain(oldest)
      expect(["", second]).toContain(newest)
      expect(`${oldest}${newest}`).not.toBe("")
    }).pipe(Effect.provide(Node.layer())),
  )
})
