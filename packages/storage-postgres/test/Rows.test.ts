import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Batch from "../src/internal/Batch.js"
import * as Rows from "../src/internal/Rows.js"
import {
  boolean,
  int4,
  int8,
  integers,
  json,
  millis,
  nullable,
  severity,
  text,
  time,
} from "../src/internal/SqlType.js"
import * as Node from "./support/node.js"

interface Thing {
  readonly projectId: number
  readonly title: string | null
  readonly seen: DateTime.Utc | null
  readonly isOpen: boolean
}

const things: ReadonlyArray<Thing> = [
  {
    projectId: 1,
    title: 'a "quoted" \\ {title}, NULL',
    seen: DateTime.makeUnsafe(1_700_000_000_123),
    isOpen: true,
  },
  { projectId: 2, title: null, seen: null, isOpen: false },
]

const fields = {
  projectId: int8(),
  title: nullable(text()),
  seen: nullable(time),
  isOpen: boolean,
}

describe("rows", () => {
  it.live("are read unchanged", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const batch = Batch.ofFields<Thing>(fields, "position")
      const rows = Rows.make({ ...fields, position: int8() })
      const columns = sql.literal(rows.select("c", { seen: "to_timestamp(c.seen / 1000)" }))
      const found = yield* sql`SELECT ${columns} FROM ${batch.rows(sql, things)} ORDER BY position`
      expect(found.map(rows.read)).toEqual(things.map((thing, i) => ({ ...thing, position: i + 1 })))
    }).pipe(Effect.provide(Node.layer())),
  )

  it("are read the same from any type that the driver returns", () => {
    const rows = Rows.make({
      id: int8(),
      at: time,
      on: millis,
      rank: severity,
      ids: integers(),
      data: json<object>(),
    })
    const moment = "2026-01-02T03:04:05.678Z"
    const expected = {
      id: 7,
      at: DateTime.makeUnsafe(moment),
      on: Date.parse(moment),
      rank: "error",
      ids: [1, 2],
      data: { a: 1 },
    }
    const at = new Date(moment)
    for (const row of [
      { id: 7, at, on: at, rank: 3, ids: [1, 2], data: { a: 1 } },
      { id: "7", at: moment, on: moment, rank: "3", ids: ["1", "2"], data: '{"a":1}' },
      {
        id: 7n,
        at: "2026-01-02 03:04:05.678+00",
        on: "2026-01-02 08:34:05.678000+05:30",
        rank: 3n,
        ids: "{1,2}",
        data: { a: 1 },
      },
    ]) {
      expect(rows.read(row)).toEqual(expected)
    }
    expect(() => rows.read({ ...expected, at: true })).toThrow("a date or a string")
    expect(() => rows.read({ ...expected, at: "soon" })).toThrow("a date or a string")
  })

  it("are inserted and selected with the names of their columns", () => {
    const { changing, once } = Rows.writtenFrom<Thing>()
    const description = {
      projectId: once(int8(), (thing) => thing.projectId),
      isOpen: changing(boolean, (thing) => thing.isOpen),
      seenAt: changing(nullable(time), (thing) => thing.seen),
      reportsCount: int4(),
    }
    expect(Rows.make(description).select()).toBe("project_id, is_open, seen_at, reports_count")
    expect(Rows.make(description).select("t", { isOpen: "true" })).toBe(
      "t.project_id, true AS is_open, t.seen_at, t.reports_count",
    )
    const inserted = Batch.make(description)
    expect(inserted.columns).toBe("project_id, is_open, seen_at")
    expect(inserted.values).toBe("c.project_id, c.is_open, to_timestamp(c.seen_at / 1000)")
    const saved = Batch.make(Batch.changesOf({ ...description, id: description.projectId }, "id"))
    expect(saved.columns).toBe("is_open, seen_at, id")
    expect(saved.changes).toBe("is_open = c.is_open, seen_at = to_timestamp(c.seen_at / 1000)")
  })
})
