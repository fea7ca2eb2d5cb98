import { afterEach, describe, expect, it } from "vitest"
import { createErrata, type Errata, memory } from "../src/index.js"

describe("createErrata", () => {
  const open: Array<Errata> = []
  afterEach(async () => {
    for (const errata of open.splice(0)) await errata.close()
  })
  const make = async (options: Partial<Parameters<typeof createErrata>[0]> = {}) => {
    const errata = await createErrata({ storage: memory(), log: "silent", ...options })
    open.push(errata)
    return errata
  }

  it("records what is captured in its first project", async () => {
    const errata = await make()
    const eventId = await errata.capture(new TypeError("no tea"), { tags: { kettle: "blue" } })
    expect(await errata.flush()).toBe(true)
    const { groups } = await errata.groups.list(errata.project.id)
    expect(groups).toMatchObject([{ error_type: "TypeError", error_message: "no tea", reports_count: 1 }])
    const report = await errata.reports.findByEventId(errata.project.id, eventId)
    expect(report).toMatchObject({ event_id: eventId, platform: "node", handled: true })
    expect(report.tags).toContainEqual({ key: "kettle", value: "blue" })
  })
})
