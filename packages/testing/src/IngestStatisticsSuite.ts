import { type IngestCounts, IngestStatistics } from "@errata/core/ports"
import { DateTime, Effect } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"

const add = (counts: Partial<IngestCounts>, at: DateTime.Utc) =>
  Effect.flatMap(IngestStatistics, (statistics) => statistics.add(counts, at))

/** The start of the current minute, which no other case uses. */
const minute = Effect.map(DateTime.now, DateTime.startOf("minute"))

/** Sums since a time that an effect adds. The storage may contain other data. */
const growth = <E, R>(since: DateTime.Utc, effect: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const statistics = yield* IngestStatistics
    const before = yield* statistics.recent(since)
    yield* effect
    const after = yield* statistics.recent(since)
    return [after.rejectedByRate - before.rejectedByRate, after.truncated - before.truncated]
  })

export const ingestStatisticsSuite: ContractSuite = {
  name: "IngestStatistics",
  cases: [
    contractCase(
      "sums each kind over the minutes since a time, including the whole first minute",
      Effect.gen(function* () {
        const from = yield* minute
        const at = (seconds: number) => DateTime.add(from, { seconds })
        const added = Effect.all([
          add({ rejectedByRate: 1 }, at(-1)),
          add({ rejectedByRate: 10 }, at(0)),
          add({ rejectedByRate: 100 }, at(59)),
          add({ truncated: 1_000 }, at(60)),
          add({ rejectedByRate: 10_000 }, at(3_600)),
        ])
        expect(yield* growth(at(30), added)).toEqual([10_110, 1_000])
      }),
    ),

    contractCase(
      "adds several kinds in one call, or none",
      Effect.gen(function* () {
        const from = yield* minute
        const statistics = yield* IngestStatistics
        const before = yield* statistics.recent(from)
        yield* add({ rejectedByDisk: 1, rejectedByQueue: 20, rejectedByRate: 300, truncated: 0 }, from)
        yield* add({}, from)
        expect(yield* statistics.recent(from)).toEqual({
          rejectedByDisk: before.rejectedByDisk + 1,
          rejectedByQueue: before.rejectedByQueue + 20,
          rejectedByRate: before.rejectedByRate + 300,
          truncated: before.truncated,
        })
      }),
    ),

    contractCase(
      "sums the counts of two nodes in the same minute",
      Effect.gen(function* () {
        const from = yield* minute
        const once = add({ rejectedByRate: 3 }, from)
        const added = Effect.all(
          [once, onSecondNode(once), once, onSecondNode(once), add({ truncated: 5 }, from)],
          { concurrency: "unbounded" },
        )
        expect(yield* growth(from, added)).toEqual([12, 5])
      }),
    ),

    contractCase(
      "deletes minutes that are two hours old when it adds a count",
      Effect.gen(function* () {
        const from = yield* minute
        const added = Effect.all([
          add({ rejectedByRate: 1 }, from),
          add({ truncated: 10 }, DateTime.add(from, { minutes: 1 })),
          add({ rejectedByRate: 100 }, DateTime.add(from, { hours: 2 })),
        ])
        expect(yield* growth(from, added)).toEqual([100, 10])
      }),
    ),
  ],
}
