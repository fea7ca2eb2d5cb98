/** Helpers for data that expires while time passes. */

import {
  type ErrorRetention,
  type Group,
  GroupFilter,
  type ProjectId,
  type RetentionRunId,
} from "@errata/core"
import { defaultPolicies } from "@errata/core/internal"
import {
  GroupStore,
  type Payload,
  PolicyStore,
  ReportStore,
  RetentionStore,
  Storage,
} from "@errata/core/ports"
import { DateTime, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { advance } from "../ContractCase.js"
import * as TestDecoder from "../TestDecoder.js"
import { record } from "./Pipeline.js"
import { emptyQueue, leaseSuspect } from "./Queue.js"

/** An empty queue, with the test clock set to the storage's clock. */
export const onStorageClock = Effect.gen(function* () {
  yield* emptyQueue
  const { now } = yield* Storage
  yield* TestClock.setTime((yield* now).epochMilliseconds)
})

/** Lets days pass, and prepares the storage for later data. */
export const pass = (days: number) =>
  Effect.gen(function* () {
    yield* advance(Duration.days(days))
    yield* (yield* Storage).prepare
  })

/** Records events in a project now and returns their ids. */
export const send = (projectId: ProjectId, ...events: ReadonlyArray<TestDecoder.TestEvent>) =>
  Effect.gen(function* () {
    const receivedAt = (yield* DateTime.now).epochMilliseconds
    const payloads = events.map((event) => TestDecoder.payload(projectId, event, { receivedAt }))
    yield* record(...payloads)
    return payloads.map(({ eventId }) => eventId)
  })

/** Starts a run, after finishing an unfinished one. */
export const begun = Effect.gen(function* () {
  const store = yield* RetentionStore
  const unfinished = yield* store.unfinished("errors")
  if (unfinished._tag === "Some") yield* finish(unfinished.value.id)
  const { id } = yield* store.request("errors", "requested", null)
  yield* store.begin(id, { timePurgeType: "full", before: null, bytesBefore: yield* store.size })
  return id
})

export const finish = (id: RetentionRunId) =>
  Effect.gen(function* () {
    const store = yield* RetentionStore
    yield* store.finish(id, { bytesAfter: yield* store.size, isWithinDiskLimit: null, failure: null })
    return yield* Effect.fromOption(yield* store.find(id))
  })

/** Removes older data in a new run, and returns the run. */
export const purge = (mode: "partial" | "full", days: number) =>
  Effect.gen(function* () {
    const store = yield* RetentionStore
    const id = yield* begun
    const before = DateTime.subtract(yield* (yield* Storage).now, { days })
    if (mode === "partial") yield* store.purgeDetails(id, before)
    else {
      yield* store.purgeReports(id, before)
      yield* store.purgeGroups(id, before)
    }
    return yield* finish(id)
  })

/** Sets the policy during an effect, then disables retention. */
export const withPolicy = <A, E, R>(policy: Partial<ErrorRetention>, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const policies = yield* PolicyStore
    const { transaction } = yield* Storage
    const now = yield* DateTime.now
    const set = (settings: Partial<ErrorRetention>) =>
      transaction(
        Effect.andThen(
          policies.lock("errorRetention"),
          policies.save(
            "errorRetention",
            { ...defaultPolicies.errorRetention, enabled: false, ...settings },
            now,
          ),
        ),
      )
    yield* set(policy)
    return yield* Effect.ensuring(effect, Effect.orDie(set({})))
  })

export const reportsOf = (group: Pick<Group, "projectId" | "id">) =>
  Effect.flatMap(ReportStore, (reports) =>
    Effect.map(
      reports.list(group.projectId, group.id, { since: null, until: null }, { limit: 100, cursor: null }),
      ({ items }) => items,
    ),
  )

/** Messages of the groups with a tag. */
export const withTag = (projectId: ProjectId, key: string, value: string) =>
  Effect.gen(function* () {
    const groups = yield* GroupStore
    const { items } = yield* groups.list(
      projectId,
      { ...GroupFilter.all, tags: [{ key, value }] },
      { limit: 100, cursor: null },
      yield* DateTime.now,
    )
    return items.map(({ errorMessage }) => errorMessage).sort()
  })

/** Bodies of isolated payloads that are due, as text. */
export const suspects = Effect.map(leaseSuspect, (batch) =>
  batch._tag === "None" ? [] : batch.value.payloads.map(({ payload }) => textOf(payload)),
)

export const textOf = ({ body, eventId }: Payload) => ({ eventId, body: new TextDecoder().decode(body) })
