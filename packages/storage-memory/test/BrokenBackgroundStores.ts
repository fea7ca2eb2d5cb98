/** Broken stores of background jobs and outgoing events, for `BrokenStores`. */
import { GroupEventStore, JobStore, webhooksConsumer } from "@errata/core/ports"
import { Duration, Effect } from "effect"
import { type BrokenStore, patch } from "./BrokenStores.js"

export const brokenBackgroundStores: ReadonlyArray<BrokenStore> = [
  {
    fault: "a job that everybody gets",
    break: patch(JobStore, ({ acquire }) => ({
      acquire: (...args) => Effect.as(acquire(...args), { _tag: "Acquired" }),
    })),
    fails: {
      JobStore: [
        "leases a job to one of several concurrent nodes",
        "leases a job to another node only after its lease expires",
        "makes a job due again on any node one interval after its end",
      ],
      BackgroundWork: ["runs repeatedly, on one node at a time"],
    },
  },
  {
    fault: "a killed node's job whose lease never expires",
    break: patch(JobStore, ({ acquire }) => ({
      acquire: (name, node) => acquire(name, node, Duration.days(1000)),
    })),
    fails: {
      JobStore: ["leases a job to another node only after its lease expires"],
    },
  },
  {
    fault: "a job that a former holder can release",
    break: patch(JobStore, ({ list, release }) => ({
      release: (name, _, outcome) =>
        Effect.flatMap(list, ({ jobs }) =>
          release(name, jobs.find((job) => job.name === name)!.node, outcome),
        ),
    })),
    fails: { JobStore: ["lets a node that has lost a job change nothing"] },
  },
  {
    fault: "jobs that are not renewed",
    break: patch(JobStore, () => ({ renew: () => Effect.succeed(true) })),
    fails: { JobStore: ["holds a job as long as its lease is renewed"] },
  },
  {
    fault: "failures that are forgotten",
    break: patch(JobStore, ({ release }) => ({
      release: (name, node, outcome) =>
        release(name, node, outcome._tag === "Failed" ? { _tag: "Succeeded", next: outcome.next } : outcome),
    })),
    fails: {
      JobStore: ["keeps the class of the last failure, also when the job has succeeded since"],
      BackgroundWork: ["is retried after a failure, which is logged and stored as a class"],
    },
  },
  {
    fault: "an outbox without an order",
    break: patch(GroupEventStore, ({ append }) => ({ append: (events) => append(events.toReversed()) })),
    fails: {
      GroupEventStore: ["leases events unchanged and oldest first"],
      Outbox: ["record each group that a bulk change changes"],
    },
  },
  {
    fault: "an outbox that hands events out twice",
    break: patch(GroupEventStore, ({ lease }) => ({
      lease: ({ limit }) => lease({ consumer: webhooksConsumer, limit, duration: Duration.zero }),
    })),
    fails: {
      GroupEventStore: [
        "leases an event to one caller until the lease expires",
        "leases no later event of a group while another caller has an earlier one",
        "leases each event to one of several concurrent nodes, in the order of each group",
      ],
    },
  },
  {
    fault: "an outbox that lets everybody settle",
    break: patch(GroupEventStore, ({ settle }) => ({
      settle: (...args) => Effect.as(settle(...args), true),
    })),
    fails: { GroupEventStore: ["settles events, except those that another caller has leased since"] },
  },
  {
    fault: "an outbox that keeps nothing",
    break: patch(GroupEventStore, () => ({ append: () => Effect.void })),
    fails: {
      GroupEventStore: ["stores no event without an enabled webhook that subscribes to it"],
      Outbox: ["record changes by users in order, with actor and group state"],
    },
  },
]
