import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { instances } from "../support/Instances.js"

describe("errors of another context", () => {
  const make = instances()

  it("are reported with their type, message, cause and members", async () => {
    const errata = await make()
    const { id } = errata.project
    const eventId = await errata.capture(
      runInNewContext(`
        new AggregateError([new RangeError("no cups", { cause: new TypeError("no tea") })], "breakfast failed")`),
    )
    await errata.flush()
    const { exceptions } = await errata.reports.findByEventId(id, eventId)
    expect(exceptions.map(({ type, value }) => `${type}: ${value}`).toSorted()).toEqual([
      "AggregateError: breakfast failed",
      "RangeError: no cups",
      "TypeError: no tea",
    ])
  })
})
