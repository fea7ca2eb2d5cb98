/** Leases and states of background jobs, by the storage's clock. */

import type { JobOutcome } from "@errata/core/internal"
import { JobStore } from "@errata/core/ports"
import { type DateTime, Duration, Effect } from "effect"
import { expect } from "vitest"
import { advance, type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"

const minute = Duration.minutes(1)
const hour = Duration.hours(1)
const succeeded: JobOutcome = { _tag: "Succeeded", next: hour }

let made = 0
const newName = Effect.sync(() => `job ${++made}`)

const acquire = (name: string, node: string) =>
  Effect.flatMap(JobStore, (jobs) => jobs.acquire(name, node, minute))

const isAcquired = (name: string, node: string) =>
  Effect.map(acquire(name, node), ({ _tag }) => _tag === "Acquired")

/** The wait that a node is given in seconds, rounded up to tens for databases' clocks. Null if the node got the job. */
const waitOf = (name: string, node: string) =>
  Effect.map(acquire(name, node), (turn) =>
    turn._tag === "Acquired" ? null : Math.ceil(Duration.toSeconds(turn.after) / 10) * 10,
  )

const stateOf = Effect.fnUntraced(function* (name: string) {
  const { jobs, now } = yield* (yield* JobStore).list
  const state = jobs.find((job) => job.name === name)!
  const since = (time: DateTime.Utc | null) =>
    time === null ? null : Math.round((now.epochMilliseconds - time.epochMilliseconds) / 60_000)
  // In minutes, since a database's clock advances by itself.
  return {
    node: state.node,
    leasedFor: state.leasedUntil === null ? null : -since(state.leasedUntil)!,
    dueIn: -since(state.dueAt)! + 0,
    heartbeat: since(state.heartbeatAt),
    started: since(state.startedAt),
    succeeded: since(state.succeededAt),
    failed: since(state.failedAt),
    failure: state.failure,
  }
})

export const jobStoreSuite: ContractSuite = {
  name: "JobStore",
  cases: [
    contractCase(
      "leases a job to one of several concurrent nodes",
      Effect.gen(function* () {
        const name = yield* newName
        const asked = yield* Effect.all(
          [
            isAcquired(name, "a"),
            onSecondNode(isAcquired(name, "b")),
            isAcquired(name, "c"),
            onSecondNode(isAcquired(name, "d")),
          ],
          { concurrency: "unbounded" },
        )
        expect(asked.filter((acquired) => acquired)).toHaveLength(1)
        expect(yield* isAcquired(name, "e")).toBe(false)
        expect(yield* isAcquired(yield* newName, "e")).toBe(true)
      }),
    ),

    contractCase(
      "leases a job to another node only after its lease expires",
      Effect.gen(function* () {
        const name = yield* newName
        yield* acquire(name, "killed")
        expect(yield* onSecondNode(waitOf(name, "other"))).toBe(60)
        yield* advance("40 seconds")
        expect(yield* onSecondNode(waitOf(name, "other"))).toBe(20)
        yield* advance("21 seconds")
        expect(yield* onSecondNode(isAcquired(name, "other"))).toBe(true)
        expect((yield* stateOf(name)).node).toBe("other")
      }),
    ),

    contractCase(
      "holds a job as long as its lease is renewed",
      Effect.gen(function* () {
        const jobs = yield* JobStore
        const name = yield* newName
        yield* acquire(name, "a")
        for (let i = 0; i < 4; i++) {
          yield* advance("40 seconds")
          expect(yield* jobs.renew(name, "a", minute)).toBe(true)
          expect(yield* isAcquired(name, "b")).toBe(false)
        }
        expect(yield* stateOf(name)).toMatchObject({ started: 3, heartbeat: 0, leasedFor: 1 })
      }),
    ),

    contractCase(
      "lets a node that has lost a job change nothing",
      Effect.gen(function* () {
        const jobs = yield* JobStore
        const name = yield* newName
        yield* acquire(name, "slow")
        yield* advance("2 minutes")
        yield* acquire(name, "quick")
        const before = yield* stateOf(name)
        expect(yield* jobs.renew(name, "slow", hour)).toBe(false)
        expect(yield* jobs.release(name, "slow", succeeded)).toBe(false)
        expect(yield* jobs.release(name, "slow", { _tag: "Interrupted" })).toBe(false)
        expect(yield* stateOf(name)).toEqual(before)
        expect(yield* isAcquired(name, "slow")).toBe(false)
        expect(yield* jobs.release(name, "quick", succeeded)).toBe(true)
        // Once released, the lease is gone.
        expect(yield* jobs.renew(name, "quick", hour)).toBe(false)
        expect(yield* jobs.release(name, "quick", succeeded)).toBe(false)
      }),
    ),

    contractCase(
      "makes a job due again on any node one interval after its end",
      Effect.gen(function* () {
        const jobs = yield* JobStore
        const name = yield* newName
        yield* acquire(name, "a")
        yield* jobs.release(name, "a", succeeded)
        expect(yield* waitOf(name, "a")).toBe(3600)
        expect(yield* onSecondNode(waitOf(name, "b"))).toBe(3600)
        expect(yield* stateOf(name)).toEqual({
          node: "a",
          leasedFor: null,
          dueIn: 60,
          heartbeat: 0,
          started: 0,
          succeeded: 0,
          failed: null,
          failure: null,
        })
        yield* advance("61 minutes")
        expect(yield* onSecondNode(isAcquired(name, "b"))).toBe(true)
        expect(yield* stateOf(name)).toMatchObject({ node: "b", started: 0, succeeded: 61 })
      }),
    ),

    contractCase(
      "keeps the class of the last failure, also when the job has succeeded since",
      Effect.gen(function* () {
        const jobs = yield* JobStore
        const name = yield* newName
        yield* acquire(name, "a")
        yield* jobs.release(name, "a", { _tag: "Failed", failure: "storage_rejected", next: minute })
        expect(yield* stateOf(name)).toMatchObject({
          dueIn: 1,
          succeeded: null,
          failed: 0,
          failure: "storage_rejected",
        })
        yield* advance("2 minutes")
        yield* acquire(name, "a")
        yield* jobs.release(name, "a", succeeded)
        expect(yield* stateOf(name)).toMatchObject({
          dueIn: 60,
          succeeded: 0,
          failed: 2,
          failure: "storage_rejected",
        })
      }),
    ),

    contractCase(
      "leaves an interrupted job due, and leases a node its own job again",
      Effect.gen(function* () {
        const jobs = yield* JobStore
        const name = yield* newName
        yield* acquire(name, "a")
        expect(yield* isAcquired(name, "a")).toBe(true)
        expect(yield* jobs.release(name, "a", { _tag: "Interrupted" })).toBe(true)
        expect(yield* stateOf(name)).toMatchObject({ leasedFor: null, succeeded: null, failed: null })
        expect(yield* onSecondNode(isAcquired(name, "b"))).toBe(true)
      }),
    ),

    contractCase(
      "stores heartbeats of work that has no lease",
      Effect.gen(function* () {
        const jobs = yield* JobStore
        const name = yield* newName
        yield* jobs.heartbeat(name, "a", minute, "succeeded")
        expect(yield* stateOf(name)).toEqual({
          node: "a",
          leasedFor: null,
          dueIn: 1,
          heartbeat: 0,
          started: 0,
          succeeded: 0,
          failed: null,
          failure: null,
        })
        yield* advance("5 minutes")
        expect(yield* stateOf(name)).toMatchObject({ dueIn: -4, heartbeat: 5 })
        yield* onSecondNode(
          Effect.flatMap(JobStore, (other) =>
            other.heartbeat(name, "b", minute, { failure: "storage_unavailable" }),
          ),
        )
        expect(yield* stateOf(name)).toMatchObject({
          node: "b",
          dueIn: 1,
          heartbeat: 0,
          succeeded: 5,
          failed: 0,
          failure: "storage_unavailable",
        })
        yield* advance("1 minute")
        yield* jobs.heartbeat(name, "c", minute, "started")
        expect(yield* stateOf(name)).toMatchObject({
          node: "c",
          heartbeat: 0,
          started: 0,
          succeeded: 6,
          failed: 1,
          failure: "storage_unavailable",
        })
      }),
    ),
  ],
}
