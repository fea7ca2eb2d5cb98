import { type Removed, type RetentionRun, RetentionRunId } from "@errata/core"
import type { RetentionStore } from "@errata/core/ports"
import { DateTime, Effect, Option } from "effect"
import { pageOf } from "./internal/Pages.js"
import * as RetentionPurge from "./internal/RetentionPurge.js"
import type { State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): RetentionStore["Service"] => {
  const unfinished = (reader: Reader, kind: RetentionRun["kind"]): RetentionRun | undefined => {
    for (const [, run] of state.retentionRuns.entries(reader)) {
      if (run.kind === kind && run.finishedAt === null) return run
    }
    return undefined
  }

  /** Changes an unfinished run. */
  const change = (
    transaction: Transaction,
    id: RetentionRunId,
    fields: (run: RetentionRun) => Partial<RetentionRun>,
  ) => {
    const run = state.retentionRuns.get(transaction, id)
    if (run === undefined || run.finishedAt !== null) return
    state.retentionRuns.set(transaction, id, { ...run, ...fields(run) })
  }

  /** Adds to a counter of the run. */
  const count = (
    transaction: Transaction,
    id: RetentionRunId,
    column: "reports" | "groups" | "bundles",
    amount: number,
  ) =>
    change(transaction, id, ({ removed }) => ({
      removed: { ...removed, [column]: removed[column] + amount },
    }))

  return {
    size: state.read((reader) => {
      let bytes = 0
      for (const [, payloads] of state.segments.entries(reader)) {
        for (const { body } of payloads) bytes += body.byteLength
      }
      return bytes
    }),

    enterNight: (kind, night) =>
      state.write((transaction) => {
        const last = state.retentionNights.get(transaction, kind)
        if (last !== undefined && last >= night.epochMilliseconds) return false
        state.retentionNights.set(transaction, kind, night.epochMilliseconds)
        return last !== undefined
      }),

    request: (kind, trigger, by) =>
      Effect.flatMap(DateTime.now, (createdAt) =>
        state.write((transaction) => {
          const other = unfinished(transaction, kind)
          if (other !== undefined) return other
          const id = RetentionRunId.make(state.nextId("retentionRun"))
          const run: RetentionRun = { ...fresh, id, kind, trigger, requestedBy: by, createdAt }
          state.retentionRuns.set(transaction, id, run)
          state.retentionRunIds.add(transaction, id)
          return run
        }),
      ),

    unfinished: (kind) => state.read((reader) => Option.fromNullishOr(unfinished(reader, kind))),

    countBundles: (id, amount) => state.write((transaction) => count(transaction, id, "bundles", amount)),

    lastFinished: (kind) =>
      state.read((reader) => {
        const runs = [...state.retentionRuns.entries(reader)].map(([, run]) => run)
        return Option.fromNullishOr(runs.findLast((run) => run.kind === kind && run.finishedAt !== null))
      }),

    list: (page) =>
      state.read((reader) =>
        pageOf(state.retentionRunIds.descending(reader, page.cursor), page, (id) =>
          state.retentionRuns.get(reader, id),
        ),
      ),

    find: (id) => state.read((reader) => Option.fromNullishOr(state.retentionRuns.get(reader, id))),

    begin: (id, { before, bytesBefore, timePurgeType }) =>
      Effect.flatMap(DateTime.now, (startedAt) =>
        state.write((transaction) =>
          change(transaction, id, (run) => ({
            state: "running",
            startedAt: run.startedAt ?? startedAt,
            bytesBefore: run.bytesBefore ?? bytesBefore,
            before,
            timePurgeType,
          })),
        ),
      ),

    finish: (id, outcome) =>
      Effect.flatMap(DateTime.now, (finishedAt) =>
        state.write((transaction) =>
          change(transaction, id, () => ({
            ...outcome,
            state: outcome.failure === null ? "succeeded" : "failed",
            finishedAt,
          })),
        ),
      ),

    purgeDetails: (_id, before) =>
      state.write((transaction) => RetentionPurge.purgeDetails(state, transaction, before.epochMilliseconds)),

    purgeReports: (id, before) =>
      state.write((transaction) => {
        const reports = RetentionPurge.purgeReports(state, transaction, before.epochMilliseconds)
        count(transaction, id, "reports", reports)
      }),

    purgeGroups: (id, before) =>
      state.write((transaction) => {
        const groups = RetentionPurge.purgeGroups(state, transaction, before.epochMilliseconds)
        count(transaction, id, "groups", groups)
      }),

    endOfOldest: (after) =>
      Effect.flatMap(DateTime.now, (now) =>
        state.read((reader) => {
          let oldest = now.epochMilliseconds
          for (const [, { createdAt }] of state.reports.entries(reader)) {
            const week = weekOf(createdAt.epochMilliseconds)
            if (after === null || week >= after.epochMilliseconds) oldest = Math.min(oldest, week)
          }
          const end = oldest + weekMillis
          return end <= weekOf(now.epochMilliseconds) ? Option.some(DateTime.makeUnsafe(end)) : Option.none()
        }),
      ),
  }
}

// internal

const nothing: Removed = { reports: 0, groups: 0, bundles: 0, partitions: 0, postponed: 0, bytes: 0 }

const fresh = {
  state: "waiting",
  startedAt: null,
  finishedAt: null,
  timePurgeType: null,
  before: null,
  removed: nothing,
  bytesBefore: null,
  bytesAfter: null,
  isWithinDiskLimit: null,
  failure: null,
} as const

const weekMillis = 7 * 24 * 60 * 60 * 1000
/** Monday, 2000-01-03. There are no partitions, but whole weeks are removed as with PostgreSQL. */
const epoch = Date.UTC(2000, 0, 3)
const weekOf = (millis: number): number => millis - ((millis - epoch) % weekMillis)
