import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { eventually } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const releasesWire: WireFile = {
  name: "Releases",
  cases: [
    wireCase("are listed newest first, with their report and group counts", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const path = `${project.path}/releases`
      expect(await member.get(path)).toEqual({ releases: [], next_cursor: null, has_more: false })
      const report = await Given.report(wire, project, { ...Given.failure(), release: "shop@1.0.0" })
      await Given.report(wire, project, { ...Given.failure(), release: "shop@1.1.0+5 ünïcödé/x" })
      const releases = await eventually("all that is counted", async () => {
        const { releases } = await member.get(path)
        return releases.every(({ reports_count }: Json) => reports_count === 1) ? releases : undefined
      })
      expect(releases).toMatchObject([
        { version: "shop@1.1.0+5 ünïcödé/x" },
        {
          id: report.release.id,
          project_id: project.id,
          version: "shop@1.0.0",
          status: "open",
          ref: null,
          url: null,
          reports_count: 1,
          groups_count: 1,
          new_groups_count: 1,
          first_seen_at: expect.any(String),
          last_seen_at: expect.any(String),
          started_at: null,
          released_at: null,
          commits_count: 0,
          last_commit: null,
          deploys_count: 0,
          last_deployed_at: null,
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
      ])
      expect(await member.get(`${path}/${releases[1].id}`)).toEqual(releases[1])
      const other = await Given.project(wire)
      await admin.expect(404, "GET", `${other.path}/releases/${releases[1].id}`, {})
    }),

    wireCase("are listed by when they appeared, without counts", async (wire) => {
      const { admin, member, stranger } = wire
      const project = await Given.project(wire, [member])
      const path = `${project.path}/releases`
      expect(await member.get(`${path}/newest`)).toEqual({ releases: [] })
      const [first, second] = [
        await Given.report(wire, project, { ...Given.failure(), release: "shop@1.0.0" }),
        await Given.report(wire, project, { ...Given.failure(), release: "shop@1.1.0" }),
      ]
      const { releases } = await member.get(`${path}/newest`)
      expect(releases).toEqual([
        { ...second.release, appeared_at: expect.any(String) },
        { ...first.release, appeared_at: expect.any(String) },
      ])
      expect(releases[0].appeared_at >= releases[1].appeared_at).toBe(true)
      await stranger.expect(404, "GET", `${path}/newest`, {})
      await admin.expect(404, "GET", "/projects/999999/releases/newest", {})
    }),

    wireCase("are found by their exact version", async (wire) => {
      const { admin } = wire
      const project = await Given.project(wire)
      await Given.report(wire, project, { ...Given.failure(), release: "shop@1.0.0" })
      const path = `${project.path}/releases`
      const versionsOf = async (version: string) =>
        (await admin.get(path, { version })).releases.map((release: Json) => release.version)
      expect(await versionsOf("shop@1.0.0")).toEqual(["shop@1.0.0"])
      expect(await versionsOf("shop@1")).toEqual([])
      expect(await versionsOf("")).toEqual([])
    }),
  ],
}
