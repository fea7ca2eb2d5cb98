import { expect } from "vitest"
import * as Given from "./Given.js"
import { word } from "./Wire.js"
import { type WireFile, wireCase } from "./WireCase.js"

export const mailSettingsWire: WireFile = {
  name: "Mail settings",
  cases: [
    wireCase("are stored for each person and project", async (wire) => {
      const { admin, member } = wire
      const [project, other] = [await Given.project(wire, [member]), await Given.project(wire, [member])]
      const path = `${project.path}/mail_settings`
      const { mail } = await member.get("/notification_kinds")
      const initial = { mode: "new_and_reopened", digest: "never", mail }
      for (const person of [admin, member]) expect(await person.get(path)).toEqual(initial)
      for (const [changes, settings] of [
        [{ mode: "assigned" }, { mode: "assigned", digest: "never" }],
        [
          { digest: "weekly", mail: !mail },
          { mode: "assigned", digest: "weekly" },
        ],
        [{}, { mode: "assigned", digest: "weekly" }],
        [
          { mode: "everything", digest: "daily" },
          { mode: "everything", digest: "daily" },
        ],
        [
          { mode: "nothing", digest: "never" },
          { mode: "nothing", digest: "never" },
        ],
      ]) {
        expect(await member.patch(path, changes)).toEqual({ ...settings, mail })
        expect(await member.get(path)).toEqual({ ...settings, mail })
      }
      expect(await admin.get(path)).toEqual(initial)
      expect(await member.get(`${other.path}/mail_settings`)).toEqual(initial)
    }),

    wireCase("reject invalid modes and digests", async (wire) => {
      const { member } = wire
      const path = `${(await Given.project(wire, [member])).path}/mail_settings`
      for (const mode of ["", "all", "Everything", 5, null, true, []]) {
        await member.refused("PATCH", path, { body: { mode } }, "mode")
      }
      for (const digest of ["", "hourly", 5, null, []]) {
        await member.refused("PATCH", path, { body: { digest } }, "digest")
      }
      await member.refused("PATCH", path, { body: { mode: 1, digest: 1 } }, "digest", "mode")
      expect(await member.get(path)).toMatchObject({ mode: "new_and_reopened", digest: "never" })
    }),

    wireCase("leave out paused addresses, which admins see and resume", async (wire) => {
      const { admin, member } = wire
      const { addresses, next } = await admin.get("/paused_addresses", { limit: 1 })
      expect(addresses.length).toBeLessThanOrEqual(1)
      expect(next === null || typeof next === "string").toBe(true)
      await admin.refused("GET", "/paused_addresses", { query: { limit: "0" } }, "limit")
      await admin.refused("GET", "/paused_addresses", { query: { after: "x".repeat(401) } }, "after")
      const address = encodeURIComponent(`${word()}+a/b@example.com`)
      await admin.delete(`/paused_addresses/${address}`, undefined, 404)
      await member.delete(`/paused_addresses/${address}`, undefined, 403)
    }),
  ],
}
