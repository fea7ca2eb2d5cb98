/** Broken retention stores, for `BrokenStores`. */
import { RetentionStore } from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { type BrokenStore, patch } from "./BrokenStores.js"

export const brokenRetentionStores: ReadonlyArray<BrokenStore> = [
  {
    fault: "retention that removes nothing",
    break: patch(RetentionStore, () => ({
      purgeReports: () => Effect.void,
      purgeDetails: () => Effect.void,
    })),
    fails: {
      RetentionStore: [
        "removes reports that are too old, and no others, also of the same days",
        "counts only the tags of kept reports, so that filters show no others",
        "removes all details except list fields, and counts them",
      ],
      RetentionJob: [
        "performs a requested run by the current policy, and removes nothing while retention is off",
      ],
    },
  },
  {
    fault: "retention that is weeks too eager",
    break: patch(RetentionStore, ({ purgeDetails, purgeReports }) => ({
      purgeReports: (id, before) => purgeReports(id, DateTime.add(before, { weeks: 10 })),
      purgeDetails: (id, before) => purgeDetails(id, DateTime.add(before, { weeks: 10 })),
    })),
    fails: {
      RetentionStore: [
        "removes reports that are too old, and no others, also of the same days",
        "removes all details except list fields, and counts them",
        "keeps merged groups together until none of them has a report",
      ],
    },
  },
  {
    fault: "groups that stay without a report",
    break: patch(RetentionStore, () => ({ purgeGroups: () => Effect.void })),
    fails: {
      RetentionStore: [
        "removes groups without reports and their data, and can create them again",
        "keeps merged groups together until none of them has a report",
      ],
    },
  },
  {
    fault: "several runs at once",
    break: patch(RetentionStore, ({ finish, request, unfinished }) => ({
      request: (kind, trigger, by) =>
        Effect.gen(function* () {
          const other = yield* unfinished(kind)
          if (other._tag === "Some") {
            yield* finish(other.value.id, { bytesAfter: 0, isWithinDiskLimit: null, failure: null })
          }
          return yield* request(kind, trigger, by)
        }),
    })),
    fails: { RetentionStore: ["has one unfinished run across nodes, and keeps all runs"] },
  },
  {
    fault: "nights that are entered again and again",
    break: patch(RetentionStore, () => ({ enterNight: () => Effect.succeed(true) })),
    fails: {
      RetentionStore: ["enters a nightly run once under concurrent calls"],
      RetentionJob: ["runs once at two in the morning on one node, and not when it is enabled"],
    },
  },
  {
    fault: "parts that never end",
    break: patch(RetentionStore, () => ({ endOfOldest: () => Effect.succeed(Option.none()) })),
    fails: {
      RetentionJob: ["removes the oldest weeks until the disk usage is within the limit"],
    },
  },
]
