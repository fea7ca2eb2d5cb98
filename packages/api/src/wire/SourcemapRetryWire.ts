import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

const minified = (host: string): Json => ({
  platform: "javascript",
  exception: {
    values: [
      {
        type: word("Failure"),
        value: "it went wrong",
        stacktrace: { frames: [{ filename: `https://${host}/app.js`, function: "t", lineno: 1, colno: 9 }] },
      },
    ],
  },
})

const pathOf = (project: Json, report: Json) =>
  `${project.path}/groups/${report.group_id}/reports/${report.id}`

const diagnosticsOf = ({ sourcemap_attempted_at, sourcemap_failure_code, sourcemap_status }: Json) => ({
  sourcemap_status,
  sourcemap_failure_code,
  sourcemap_attempted_at,
})

export const sourcemapRetryWire: WireFile = {
  name: "SourcemapRetry",
  cases: [
    wireCase("is rejected without uploads or authorized origins, and for other platforms", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const report = await Given.report(wire, project, minified(`${word()}.example.com`))
      const problem = await admin.post(`${pathOf(project, report)}/sourcemap_retry`, undefined, 409)
      expect(problem).toMatchObject({ title: "Conflict", ...diagnosticsOf(report) })
      const other = await Given.report(wire, project, Given.failure({ platform: "python" }))
      expect(await admin.post(`${pathOf(project, other)}/sourcemap_retry`, undefined, 422)).toMatchObject({
        sourcemap_status: "unprocessed",
        sourcemap_failure_code: null,
        sourcemap_attempted_at: null,
      })
      expect(await admin.get(pathOf(project, report))).toEqual(report)
    }),

    wireCase("is accepted if an origin of a script is authorized", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const host = `${word()}.example.com`
      const report = await Given.report(wire, project, minified(host))
      expect(report.sourcemap_status).toBe("not_found")
      const origins = `${project.path}/hosted_sourcemap_origins`
      await admin.post(origins, { origin: `https://${host}` }, 201)
      const path = `${pathOf(project, report)}/sourcemap_retry`
      const accepted = await admin.post(path, undefined, 202)
      expect(accepted).toEqual({
        result: "queued",
        report_id: report.id,
        sourcemap_status: "queued",
        sourcemap_failure_code: null,
        sourcemap_attempted_at: report.sourcemap_attempted_at,
      })
      // Accepted again, whether the first retry is queued, in progress or failed by now.
      const again = await admin.post(path, undefined, 202)
      expect(["queued", "in_progress"]).toContain(again.result)
    }),

    wireCase("returns frames as received on request", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      const report = await Given.report(wire, project, minified("shop.example.com"))
      expect(await admin.get(pathOf(project, report), { frames: "raw" })).toEqual(report)
      expect(await admin.get(pathOf(project, report), { frames: "resolved" })).toEqual(report)
      const answer = await admin.send("GET", `${pathOf(project, report)}?frames=some`)
      expect(answer.status).toBe(422)
    }),
  ],
}
