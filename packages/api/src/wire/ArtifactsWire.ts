import { expect } from "vitest"
import * as Given from "./Given.js"
import type { Json } from "./Json.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const artifactsWire: WireFile = {
  name: "Artifacts",
  cases: [
    wireCase(
      "are listed newest first, with what they belong to, and shown with their files",
      async (wire) => {
        const { admin, member, stranger } = wire
        const project = await Given.project(wire, [member])
        const path = `${project.path}/artifact_bundles`
        expect(await member.get(path)).toEqual({ artifact_bundles: [], next_cursor: null, has_more: false })
        const file = { name: "~/assets/app.js", content: "f()", release: "shop@1.0.0+5" }
        await Given.artifact(wire, project, { ...file, dist: "7", headers: ["Sourcemap:app.js.map"] })
        await Given.artifact(wire, project, { ...file, name: "~/assets/app.js.map", content: "{}" })
        const { artifact_bundles: bundles } = await member.get(path)
        expect(bundles.map(({ name }: Json) => name)).toEqual(["~/assets/app.js.map", "~/assets/app.js"])
        expect(bundles[1]).toEqual({
          id: expect.any(Number),
          project_id: project.id,
          kind: "release_file",
          state: "ok",
          detail: null,
          checksum: expect.stringMatching(/^[0-9a-f]{40}$/),
          size: 3,
          files_count: 1,
          name: "~/assets/app.js",
          note: null,
          links: [{ release: "shop@1.0.0+5", dist: "7" }],
          uploaded_by: admin.id,
          created_at: expect.any(String),
          uploaded_at: expect.any(String),
          last_used_at: null,
        })
        expect(await member.get(`${path}/${bundles[1].id}`)).toEqual({
          ...bundles[1],
          files: [
            {
              type: "minified_source",
              url: "~/assets/app.js",
              debug_id: null,
              source_map: "app.js.map",
              size: 3,
            },
          ],
        })
        await stranger.expect(404, "GET", path, {})
        const other = await Given.project(wire)
        await admin.expect(404, "GET", `${other.path}/artifact_bundles/${bundles[1].id}`, {})
      },
    ),

    wireCase("are deleted by admins", async (wire) => {
      const { admin, member } = wire
      const project = await Given.project(wire, [member])
      const file = await Given.artifact(wire, project, { name: "~/a.js", content: "f()" })
      const path = `${project.path}/artifact_bundles/${file.id}`
      await member.expect(403, "DELETE", path, {})
      await admin.expect(204, "DELETE", path, {})
      await admin.expect(404, "DELETE", path, {})
      await admin.expect(404, "GET", path, {})
    }),
  ],
}
