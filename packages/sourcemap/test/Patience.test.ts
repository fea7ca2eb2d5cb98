import type { ProjectId } from "@errata/core"
import type { ErrorEvent } from "@errata/core/ports"
import { Duration } from "effect"
import { expect, it } from "vitest"
import { Patience } from "../src/mapping/Patience.js"

const [one, other] = [1, 2] as ReadonlyArray<number> as [ProjectId, ProjectId]
const event = (i: number) => ({ eventId: String(i) }) as Pick<ErrorEvent, "eventId">

it("limits how long an event waits, and how many events of a project wait", () => {
  const patience = new Patience(Duration.seconds(30))
  expect(patience.mayWait(one, event(0), 0)).toBe(true)
  expect(patience.mayWait(one, event(0), 29_999)).toBe(true)
  expect(patience.mayWait(one, event(0), 30_000)).toBe(false)
  for (let i = 1; i < 1_000; i++) expect(patience.mayWait(one, event(i), 30_000)).toBe(true)
  expect(patience.mayWait(one, event(1_000), 30_000)).toBe(false)
  expect(patience.mayWait(other, event(1_000), 30_000)).toBe(true)
  patience.end(one, event(0))
  expect(patience.mayWait(one, event(1_000), 30_000)).toBe(true)
  // Other nodes recorded the events that did not come back.
  expect(patience.mayWait(one, event(2_000), 90_000)).toBe(true)
})
