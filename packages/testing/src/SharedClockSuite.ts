/** The clock that all nodes of a storage share, and nodes with wrong clocks. */

import type { ProjectId } from "@errata/core"
import { SharedClock, Storage } from "@errata/core/ports"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase } from "./ContractCase.js"
import * as Given from "./Given.js"
import { onlyGroupOf } from "./internal/Pipeline.js"
import { begun, finish, onStorageClock, pass, purge, reportsOf, send } from "./internal/Retaining.js"

/** Records an event on a node whose clock is wrong by some days, then resets the test clock to the storage's. */
const sendOnOther = Effect.fnUntraced(function* (projectId: ProjectId, days: number) {
  const { now } = yield* Storage
  const time = yield* now
  yield* TestClock.setTime(DateTime.add(time, { days }).epochMilliseconds)
  yield* Effect.provide(send(projectId, { message: "one" }), SharedClock.layer)
  return yield* onlyGroupOf(projectId)
})

export const sharedClockSuite: ContractSuite = {
  name: "SharedClock",
  cases: [
    contractCase(
      "sets the times of retention runs",
      Effect.gen(function* () {
        yield* onStorageClock
        const { now } = yield* Storage
        const before = yield* now
        const { createdAt, startedAt } = yield* finish(yield* begun)
        const after = yield* now
        for (const time of [createdAt, startedAt!]) {
          expect(DateTime.between(time, { minimum: before, maximum: after })).toBe(true)
        }
      }),
    ),

    contractCase(
      "keeps reports of a node whose clock is late",
      Effect.gen(function* () {
        yield* onStorageClock
        const project = yield* Given.project()
        yield* pass(1)
        const group = yield* sendOnOther(project.id, -40)
        yield* purge("full", 30)
        expect(yield* reportsOf(group)).toHaveLength(1)
      }),
    ),

    contractCase(
      "removes reports of a node whose clock is early by their true age",
      Effect.gen(function* () {
        yield* onStorageClock
        const project = yield* Given.project()
        const group = yield* sendOnOther(project.id, 40)
        yield* advance("29 days")
        yield* purge("full", 30)
        expect(yield* reportsOf(group)).toHaveLength(1)
        yield* advance("2 days")
        yield* purge("full", 30)
        expect(yield* reportsOf(group)).toHaveLength(0)
      }),
    ),
  ],
}
