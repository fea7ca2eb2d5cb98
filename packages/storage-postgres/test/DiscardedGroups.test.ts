import { expect, it } from "@effect/vitest"
import type { ReportId } from "@errata/core"
import { GroupStore, NoteStore, PendingPayloads, ReportStore, Storage } from "@errata/core/ports"
import { Factory, Given } from "@errata/testing"
import { DateTime, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Segments from "../src/internal/Segments.js"
import * as Node from "./support/node.js"

const bodies = ["of a gone report", "of another report", "of its attachment"]

/** Creates a group with a report, attachment, tags and note, and another group whose report shares the segment. */
const fill = Effect.gen(function* () {
  const groups = yield* GroupStore
  const reports = yield* ReportStore
  const pending = yield* PendingPayloads
  const { id: projectId } = yield* Given.project()
  const gone = yield* Given.group(projectId)
  const kept = yield* Given.group(projectId)
  yield* pending.append(
    bodies.map((text) => Factory.payload(projectId, { body: new TextEncoder().encode(text) })),
  )
  const leased = yield* pending.lease({ payloads: 10, bytes: 2 ** 20, duration: Duration.minutes(1) })
  const places = leased.flatMap(({ payloads }) => payloads.map(({ place }) => place))
  const [id] = (yield* reports.insert(
    [gone, kept].map((group, i) => ({
      ...Factory.newReport(group, { release: "gone@1", tags: [{ key: "os", value: "gone" }] }),
      place: places[i]!,
    })),
    Factory.noon,
  )) as ReadonlyArray<ReportId>
  const file = {
    filename: "gone.txt",
    contentType: "text/plain",
    type: "event.attachment",
    index: 0,
    size: 1,
  }
  yield* reports.addAttachments([{ ...file, projectId, reportId: id!, place: places[2]! }])
  const tags = [gone, kept].flatMap(({ id: groupId }) => [
    { projectId, groupId, key: "os", value: "gone", count: 1 },
    { projectId, groupId, key: "release", value: "gone@1", count: 1 },
  ])
  yield* groups.addTagCounts(tags)
  yield* (yield* NoteStore).append([Factory.newNote(gone)])
  return { projectId, gone, kept, segmentId: places[0]!.segmentId }
})

const discard = Effect.fnUntraced(function* (group: Effect.Success<typeof fill>["gone"]) {
  const groups = yield* GroupStore
  const { transaction } = yield* Storage
  yield* transaction(
    Effect.gen(function* () {
      const [locked] = yield* groups.lock(group.projectId, [group.id])
      yield* groups.remove(locked!, null, Factory.noon)
    }),
  )
})

it.live("a discarded group leaves only its record in the tables, and no bodies", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const groups = yield* GroupStore
    const { gone, kept, projectId, segmentId } = yield* fill
    /** Number of rows in each table that refer to a group or to its reports. */
    const rowsOf = Effect.fnUntraced(function* (groupId: number, reportIds: ReadonlyArray<number>) {
      const columns = yield* sql<{ table: string; column: string }>`
        SELECT c.relname AS table, a.attname AS column
        FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'errata'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
          AND (a.attname IN ('group_id', 'report_id', 'source_id', 'target_id') OR (c.relname, a.attname) = ('groups', 'id'))`
      const found: Array<string> = []
      for (const { column, table } of columns) {
        const ids = column === "report_id" ? reportIds : [groupId]
        const rows = yield* sql`
          SELECT 1 FROM ${sql(`errata.${table}`)}
          WHERE project_id = ${projectId} AND ${sql(column)} = ANY (${`{${ids.join()}}`}::bigint[])`
        if (rows.length > 0) found.push(table)
      }
      return found.sort()
    })
    const reportsOf = Effect.fnUntraced(function* (groupId: number) {
      const rows = yield* sql<{ id: string }>`
        SELECT id FROM errata.reports WHERE project_id = ${projectId} AND group_id = ${groupId}`
      return rows.map(({ id }) => Number(id))
    })
    const [ids, others] = [yield* reportsOf(gone.id), yield* reportsOf(kept.id)]
    const before = yield* rowsOf(kept.id, others)
    yield* discard(gone)
    // Other transactions may be using its reports.
    expect(yield* groups.purge(100, Factory.noon)).toBe(0)
    expect(yield* rowsOf(gone.id, ids)).toContain("reports")
    const later = DateTime.add(Factory.noon, { hours: 1 })
    yield* Effect.repeat(groups.purge(1, later), { while: (purged) => purged > 0 })
    expect(yield* rowsOf(gone.id, ids)).toEqual(["discarded_keys"])
    expect(yield* rowsOf(kept.id, others)).toEqual(before)
    expect(before).toEqual(expect.arrayContaining(["group_tags", "groups", "report_events", "reports"]))

    const [row] = yield* sql<{ index_bytes: number; block_bytes: number; body: Uint8Array }>`
      SELECT index_bytes, block_bytes, body FROM errata.segments
      WHERE project_id = ${projectId} AND id = ${segmentId}`
    const block = Segments.blockOf({ blockBytes: row!.block_bytes, body: row!.body, dictionary: null })
    const payloads = Segments.unpack(block, { indexBytes: row!.index_bytes, projectId })
    expect(payloads.map(({ body }) => Buffer.from(body).toString())).toEqual(["", bodies[1], ""])
  }).pipe(Effect.provide(Node.layer())),
)
