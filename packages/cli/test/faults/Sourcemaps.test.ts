/** Source mapping in real processes: while recording, after an upload, and after a node was killed while mapping. */
import { describe, expect, it } from "@effect/vitest"
import { ProjectId, type ReportId } from "@errata/core"
import { ArtifactStore, BlobStore, SourcemapReportStore } from "@errata/core/ports"
import { PostgresStorage } from "@errata/storage-postgres"
import { Factory, TestBundle } from "@errata/testing"
import { DateTime, Duration, Effect, Layer, Redacted } from "effect"
import pg from "pg"
import { freshDatabase } from "../../../storage-postgres/test/support/database.js"
import * as Server from "../support/Server.js"
import * as Http from "./support/Http.js"
import * as Instance from "./support/Instance.js"
import { until } from "./support/Wait.js"

const script = "https://shop.example.com/assets/app.js"
const debugId = "e1b7cfaf-9c64-5ce6-a904-9b817f160208"

/** A single mapping: the first character of the script to the first of the source. */
const map = new TextEncoder().encode(
  JSON.stringify({
    version: 3,
    sources: ["../src/cart.ts"],
    sourcesContent: ["export function total() { boom() }\n"],
    names: [],
    mappings: "AAAA",
  }),
)

interface Report {
  readonly id: number
  readonly group_id: number
  readonly culprit: string
  readonly sourcemap_status: string
  readonly exceptions: ReadonlyArray<{ readonly frames: ReadonlyArray<Record<string, unknown>> }>
}

const send = (server: Server.Server, project: Instance.Project, eventId: string) =>
  Effect.promise(async () => {
    const event = {
      event_id: eventId,
      platform: "javascript",
      exception: {
        values: [
          {
            type: "TypeError",
            value: "boom",
            stacktrace: { frames: [{ filename: script, function: "t", lineno: 1, colno: 1, in_app: true }] },
          },
        ],
      },
      debug_meta: { images: [{ type: "sourcemap", code_file: script, debug_id: debugId }] },
    }
    const { status } = await Http.send(
      `${server.url}/api/${project.id}/store/?sentry_key=${project.token}&sentry_version=7`,
      { method: "POST", body: JSON.stringify(event) },
    )
    expect(status).toBe(200)
  })

const reportWith = (
  server: Server.Server,
  project: Instance.Project,
  eventId: string,
  status: string,
): Effect.Effect<Report> =>
  Effect.gen(function* () {
    let found: Report | null = null
    yield* until(`the report is ${status}`, async () => {
      found = await Instance.findReport<Report>(server, project, eventId)
      return found?.sourcemap_status === status
    })
    return found!
  })

/** Stores a map as an upload does. */
const upload = Effect.fnUntraced(function* (projectId: ProjectId) {
  const store = yield* ArtifactStore
  const blobs = yield* BlobStore
  const now = yield* DateTime.now
  const blob = TestBundle.sha256(map)
  yield* blobs.put(blob, map)
  const file = Factory.newArtifactFile({ debugId, size: map.length, blob })
  yield* store.insert(Factory.newArtifactBundle(projectId, { size: map.length, files: [file] }), now)
})

/** Queues reports for mapping as an upload does. */
const requeue = Effect.fnUntraced(function* (projectId: ProjectId) {
  const waiting = yield* SourcemapReportStore
  const bounds = { maxAge: Duration.days(7), limit: 100 }
  return yield* waiting.requeue(
    projectId,
    { debugIds: [debugId], release: null },
    bounds,
    yield* DateTime.now,
  )
})

/** Blocks all access to uploaded contents until released. */
const withholdContents = (url: Redacted.Redacted) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: Redacted.value(url) })
      await client.connect()
      await client.query("BEGIN")
      await client.query("LOCK TABLE errata.blob_parts IN ACCESS EXCLUSIVE MODE")
      let isHeld = true
      return {
        letGo: async () => {
          if (!isHeld) return
          isHeld = false
          await client.query("COMMIT")
          await client.end()
        },
      }
    }),
    ({ letGo }) => Effect.promise(letGo),
  )

const retry = (server: Server.Server, project: Instance.Project, report: Report) =>
  Effect.promise(async () => {
    const path = `/projects/${project.id}/groups/${report.group_id}/reports/${report.id}/sourcemap_retry`
    const { body, status } = await Instance.call(server, path, { method: "POST" })
    return { status, ...(JSON.parse(body) as { readonly result: string; readonly report_id: ReportId }) }
  })

describe("frames", () => {
  it.live("are mapped after the node that mapped them was killed, and later by recorders", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const start = Server.start(["--database-url", Redacted.value(url)], {
        ERRATA_SOURCEMAPS_BLOB_TIMEOUT: "1 minute",
      })
      const killed = yield* start
      const project = yield* Instance.firstProject(killed)
      const [early, late] = ["a".repeat(32), "b".repeat(32)] as const
      yield* send(killed, project, early)
      const before = yield* reportWith(killed, project, early, "not_found")
      const projectId = ProjectId.make(project.id)
      const stores = yield* Layer.build(PostgresStorage.layer({ url }))
      yield* Effect.provide(upload(projectId), stores)
      const contents = yield* withholdContents(url)
      expect(yield* Effect.provide(requeue(projectId), stores)).toBe(1)
      yield* reportWith(killed, project, early, "fetching")
      expect(yield* Effect.promise(() => killed.end("SIGKILL"))).toBe(null)
      yield* Effect.promise(contents.letGo)
      const left = yield* start
      const after = yield* reportWith(left, project, early, "resolved")
      expect(after).toMatchObject({ id: before.id, group_id: before.group_id })
      expect(before.exceptions[0]!.frames[0]).toMatchObject({ filename: script, function: "t" })
      expect(after.exceptions[0]!.frames[0]).toMatchObject({
        filename: "src/cart.ts",
        lineno: 1,
        context_line: "export function total() { boom() }",
      })
      yield* send(left, project, late)
      const recorded = yield* reportWith(left, project, late, "resolved")
      expect(recorded).toMatchObject({ group_id: before.group_id, culprit: after.culprit })
      const raw = yield* Instance.get<Report>(left, `/projects/${project.id}/reports/${late}?frames=raw`)
      expect(raw.exceptions[0]!.frames[0]).toMatchObject({ filename: script, function: "t" })
      expect(yield* retry(left, project, recorded)).toMatchObject({ status: 200, result: "resolved" })
    }),
  )
})
