import { type IngestStatistic, IngestStatistics } from "@errata/core"
import { DateTime, Effect } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"

const add = (kind: IngestStatistic, count: number, at: DateTime.Utc) =>
  Effect.flatMap(IngestStatistics, (statistics) => statistics.add(kind, count, at))

/** The start of a minute of the case's own. */
const minute = Effect.map(DateTime.now, DateTime.startOf("minute"))

/** How much the sums since a moment grow by an effect: the storage may know others. */
const growth = <E, R>(since: DateTime.Utc, effect: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const statistics = yield* IngestStatistics
    const before = yield* statistics.recent(since)
    yield* effect
    const after = yield* statistics.recent(since)
    return [after.rejected - before.rejected, after.truncated - before.truncated]
  })

export const ingestStatisticsSuite: ContractSuite = {
  name: "IngestStatistics",
  cases: [
    contractCase(
      "sums each kind over the minutes since a moment, whose own minute counts as a whole",
      Effect.gen(function* () {
        const from = yield* minute
        const at = (seconds: number) => DateTime.add(from, { seconds })
        const added = Effect.all([
          add("rejected", 1, at(-1)),
          add("rejected", 10, at(0)),
          add("rejected", 100, at(59)),
          add("truncated", 1_000, at(60)),
          add("rejected", 10_000, at(3_600)),
        ])
        expect(yield* growth(at(30), added)).toEqual([10_110, 1_000])
      }),
    ),

    contractCase(
      "adds up what two nodes count in the same minute",
      Effect.gen(function* () {
        const from = yield* minute
        const once = add("rejected", 3, from)
        const added = Effect.all(
          [once, onSecondNode(once), once, onSecondNode(once), add("truncated", 5, from)],
          { concurrency: "unbounded" },
        )
        expect(yield* growth(from, added)).toEqual([12, 5])
      }),
    ),

    contractCase(
      "forgets minutes that are two hours old when it counts another",
      Effect.gen(function* () {
        const from = yield* minute
        const added = Effect.all([
          add("rejected", 1, from),
          add("truncated", 10, DateTime.add(from, { minutes: 1 })),
          add("rejected", 100, DateTime.add(from, { hours: 2 })),
        ])
        expect(yield* growth(from, added)).toEqual([100, 10])
      }),
    ),
  ],
}
