import { expect, it } from "@effect/vitest"
import { GroupStore, PendingPayloads, ProjectStore, ReportStore } from "@errata/core/ports"
import { Factory, Given } from "@errata/testing"
import { Array, DateTime, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Prepared from "../src/internal/Prepared.js"
import * as Node from "./support/node.js"

/** The prepared statements of the test's only connection. */
const statements = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly statement: string }>`SELECT statement FROM pg_prepared_statements ORDER BY statement`,
    (rows) => rows.map(({ statement }) => statement),
  ),
)

it.live("the hot path's statements are prepared once for any number of rows", () =>
  Effect.gen(function* () {
    const pending = yield* PendingPayloads
    const groups = yield* GroupStore
    const reports = yield* ReportStore
    const projects = yield* ProjectStore
    const project = yield* Given.project()
    const recordSome = Effect.fnUntraced(function* (count: number) {
      const now = yield* DateTime.now
      yield* pending.append(Array.makeBy(count, () => Factory.payload(project.id)))
      const batches = yield* pending.lease({ payloads: 100, bytes: 2 ** 20, duration: Duration.minutes(1) })
      const group = yield* Given.group(project.id)
      yield* reports.insert(
        Array.makeBy(count, () => Factory.newReport(group)),
        now,
      )
      yield* groups.addTagCounts(
        Array.makeBy(count, (i) => {
          return { projectId: project.id, groupId: group.id, key: "os", value: `${i}`, count: 1 }
        }),
      )
      yield* projects.addCounts([{ projectId: project.id, groups: 1, reports: count }], Factory.noon)
      yield* pending.remove(
        batches.map((batch) => ({
          batchId: batch.id,
          projectId: batch.projectId,
          positions: batch.payloads.map(({ place }) => place.position),
          bytes: 0,
          whole: true,
        })),
      )
    })
    yield* recordSome(1)
    const first = yield* statements
    yield* recordSome(20)
    expect(yield* statements).toEqual(first)
    expect(first.every((statement) => statement.startsWith(Prepared.mark))).toBe(true)
    for (const table of [
      "INTO errata.segments",
      "FROM errata.grouping_keys",
      "UPDATE errata.groups",
      "INTO errata.reports",
      "INTO errata.group_tags",
      "INTO errata.project_counts",
    ]) {
      expect(first.filter((statement) => statement.includes(table))).not.toEqual([])
    }
    // The best plan for the queue depends on its length.
    expect(first.filter((statement) => /(FROM|UPDATE) errata.pending_batches/.test(statement))).toEqual([])
  }).pipe(Effect.provide(Node.layer({ maxConnections: 1 }))),
)
