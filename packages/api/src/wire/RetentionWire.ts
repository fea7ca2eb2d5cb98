import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { eventually } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const retentionWire: WireFile = {
  name: "Retention",
  cases: [
    wireCase("runs on request, and stores the run", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const report = await Given.report(wire, project, Given.failure())
      const done = await Given.retaining(wire, async () => {
        // A run that an earlier case requested may still be in progress, with the earlier policy.
        const first = await admin.post("/data_retention/runs", undefined, 202)
        await ended(admin, first.id)
        const asked = await admin.post("/data_retention/runs", undefined, 202)
        expect(asked).toMatchObject({ kind: "errors", trigger: "requested", failure: null })
        return ended(admin, asked.id)
      })
      expect(done).toMatchObject({
        state: "succeeded",
        requested_by: expect.any(Number),
        time_purge_type: "full",
        reports_purged: 0,
        groups_purged: 0,
        within_disk_limit: null,
        failure: null,
      })
      const started = new Date(done.started_at).getTime()
      expect(started - new Date(done.purged_before).getTime()).toBeGreaterThanOrEqual(3_650 * Given.day)
      expect(new Date(done.finished_at).getTime()).toBeGreaterThanOrEqual(started)
      const { runs } = await admin.get("/data_retention/runs")
      expect(runs[0]).toEqual(done)
      const path = `${project.path}/groups/${report.group_id}/reports/${report.id}`
      expect(await admin.get(path)).toMatchObject({ details_purged: false })
    }),

    wireCase("combines requests that arrive while a run waits into one run", async (wire) => {
      const { admin } = wire
      const asked = await Given.retaining(wire, () =>
        Promise.all([1, 2, 3].map(() => admin.post("/data_retention/runs", undefined, 202))),
      )
      const { runs } = await admin.get("/data_retention/runs", { limit: 100 })
      for (const { id } of asked) expect(runs.map((each: Json) => each.id)).toContain(id)
      const unfinished = runs.filter((each: Json) => each.finished_at === null)
      expect(unfinished.length).toBeLessThanOrEqual(1)
    }),

    wireCase("rejects a run while it is off, and returns 404 for unknown runs", async (wire) => {
      const { admin } = wire
      await admin.patch("/data_retention/errors", { enabled: false })
      await admin.refused("POST", "/data_retention/runs", {}, "enabled")
      await admin.get("/data_retention/runs/999999999", {}, 404)
    }),

    wireCase("lists its runs newest first, page by page", async (wire) => {
      const { admin } = wire
      await ended(admin, (await Given.retentionRun(wire)).id)
      await Given.retentionRun(wire)
      const first = await admin.get("/data_retention/runs", { limit: 1 })
      expect([first.runs.length, first.has_more]).toEqual([1, true])
      const second = await admin.get("/data_retention/runs", { limit: 1, cursor: first.next_cursor })
      expect(second.runs[0].id).toBeLessThan(first.runs[0].id)
    }),
  ],
}

// internal

const ended = (admin: { readonly get: (path: string) => Promise<Json> }, id: number): Promise<Json> =>
  eventually("the end of a run", async () => {
    const run = await admin.get(`/data_retention/runs/${id}`)
    return run.finished_at === null ? undefined : run
  })
