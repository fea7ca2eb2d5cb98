import type { IngestStatistic, IngestStatistics } from "@errata/core/ports"
import { type DateTime, Duration } from "effect"
import { keyOf, type State } from "./internal/State.js"

export const make = (state: State): IngestStatistics["Service"] => ({
  add: (counts, now) =>
    state.write((transaction) => {
      const minute = minuteOf(now)
      for (const [key, row] of state.ingestStatistics.entries(transaction)) {
        if (row.minute <= minute - keptFor) state.ingestStatistics.delete(transaction, key)
      }
      for (const [kind, count] of Object.entries(counts) as ReadonlyArray<[IngestStatistic, number]>) {
        const key = keyOf(minute, kind)
        const before = state.ingestStatistics.get(transaction, key)?.count ?? 0
        state.ingestStatistics.set(transaction, key, { minute, kind, count: before + count })
      }
    }),

  recent: (since) =>
    state.read((reader) => {
      const sums = { rejectedByDisk: 0, rejectedByQueue: 0, rejectedByRate: 0, truncated: 0 }
      for (const [, row] of state.ingestStatistics.entries(reader)) {
        if (row.minute >= minuteOf(since)) sums[row.kind] += row.count
      }
      return sums
    }),
})

// internal

const keptFor = Duration.toMillis("2 hours")

const minuteOf = ({ epochMilliseconds }: DateTime.Utc): number =>
  epochMilliseconds - (epochMilliseconds % 60_000)
