import { expect } from "vitest"
import * as Given from "./Given.js"
import { type WireFile, wireCase } from "./WireCase.js"

const field = "error_and_fatal_notifications_only"

export const notificationSettingsWire: WireFile = {
  name: "NotificationSettings",
  cases: [
    wireCase("are off at first, and changed", async (wire) => {
      const { admin } = wire
      const path = `${(await Given.project(wire)).path}/notification_settings`
      expect(await admin.get(path)).toEqual({ [field]: false })
      expect(await admin.patch(path, { [field]: true, other: 1 })).toEqual({ [field]: true })
      expect(await admin.get(path)).toEqual({ [field]: true })
      expect(await admin.patch(path, { [field]: false })).toEqual({ [field]: false })
    }),

    wireCase("reject values that are not booleans", async (wire) => {
      const { admin } = wire
      const path = `${(await Given.project(wire)).path}/notification_settings`
      await admin.patch(path, { [field]: true })
      for (const wrong of ["true", "", 1, 0, null, [], {}]) {
        await admin.refused("PATCH", path, { body: { [field]: wrong } }, field)
      }
      await admin.refused("PATCH", path, { body: { notification_settings: { [field]: false } } }, field)
      expect(await admin.get(path)).toEqual({ [field]: true })
    }),

    wireCase("belong to one project", async (wire) => {
      const [one, other] = [await Given.project(wire), await Given.project(wire)]
      await wire.admin.patch(`${one.path}/notification_settings`, { [field]: true })
      expect(await wire.admin.get(`${other.path}/notification_settings`)).toEqual({ [field]: false })
    }),
  ],
}
