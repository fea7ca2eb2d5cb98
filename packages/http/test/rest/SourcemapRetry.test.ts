import { StorageError } from "@errata/core"
import { FrameMapper, SourcemapReportStore } from "@errata/core/ports"
import { Context, Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { changedStores } from "../support/changedStores.js"
import { start, type TestInstance } from "../support/TestInstance.js"

const away = new StorageError({ operation: "any", reason: "unavailable", cause: new Error("away") })
const state = { isAway: false }

/** Finds no map while recording, and reports that one may exist later. */
const mapper: FrameMapper = {
  begin: () =>
    Effect.succeed(() => ({
      status: "not_found",
      failureCode: "artifact_not_uploaded",
      frames: null,
      wantedIds: [],
    })),
  mapUploaded: () => Effect.die("no map is read"),
  map: () => Effect.die("no map is read"),
  mayHelp: () => Effect.succeed("may_help"),
}

const orAway = <A, E>(work: Effect.Effect<A, E>) =>
  Effect.suspend((): Effect.Effect<A, E | StorageError> => (state.isAway ? away : work))

const stores = changedStores((context) => {
  const reports = Context.get(context, SourcemapReportStore)
  return context.pipe(
    Context.add(FrameMapper, mapper),
    Context.add(SourcemapReportStore, { ...reports, lock: (place) => orAway(reports.lock(place)) }),
  )
})

let errata: TestInstance
beforeAll(async () => {
  errata = await start({}, stores)
})
afterAll(() => errata.stop())

it("answers 503 with the diagnostic fields while the storage is unavailable", async () => {
  const frames = [{ filename: "https://shop.example.com/app.js", lineno: 1, colno: 1 }]
  const exception = { values: [{ type: "Error", value: "x", stacktrace: { frames } }] }
  const report = await errata.report({ platform: "javascript", exception })
  state.isAway = true
  const { id } = errata.mine
  const path = `/projects/${id}/groups/${report.group_id}/reports/${report.id}/sourcemap_retry`
  const answer = await errata.api(path, { method: "POST" })
  expect([answer.status, answer.json]).toEqual([
    503,
    {
      type: "about:blank",
      title: "Service Unavailable",
      status: 503,
      detail: "The storage is unavailable. Try again later",
      sourcemap_status: "not_found",
      sourcemap_failure_code: "artifact_not_uploaded",
      sourcemap_attempted_at: report.sourcemap_attempted_at,
    },
  ])
})
