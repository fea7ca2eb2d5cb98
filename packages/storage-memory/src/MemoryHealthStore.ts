import {
  alertsConsumer,
  type HealthStore,
  type JobStore,
  type PendingPayloads,
  webhooksConsumer,
} from "@errata/core/ports"
import { Clock, DateTime, Duration, Effect } from "effect"
import type { State } from "./internal/State.js"
import type { Reader } from "./internal/Transaction.js"

/** Derives the health figures from the other stores. */
export const make = (
  state: State,
  jobs: JobStore["Service"],
  pending: PendingPayloads["Service"],
): HealthStore["Service"] => ({
  hasPendingMigrations: Effect.succeed(false),

  work: Effect.flatMap(jobs.list, ({ jobs, now }) =>
    state.read((reader) => {
      const errors: Array<number> = []
      for (const [, { isSuspect, readyAt }] of state.batches.entries(reader)) {
        if (!isSuspect) errors.push(readyAt)
      }
      const notifications: Array<number> = []
      for (const { at } of outboxOf(state, reader)) notifications.push(at.epochMilliseconds)
      for (const [, { dueAt, projectId, status, targetId }] of state.deliveries.entries(reader)) {
        if (status !== "pending" || dueAt > now.epochMilliseconds) continue
        if (!state.targets.get(reader, targetId)?.enabled || !state.projects.has(reader, projectId)) continue
        // While a receiver is slow, its target was leased recently and the rest of its deliveries wait for their turn.
        notifications.push(Math.max(dueAt, state.attended.get(reader, targetId) ?? dueAt))
      }
      const earliest = (times: ReadonlyArray<number>) => {
        const ready = times.filter((time) => time <= now.epochMilliseconds)
        return ready.length === 0 ? null : DateTime.makeUnsafe(ready.reduce((a, b) => Math.min(a, b)))
      }
      return {
        now,
        jobs,
        errorReadySince: earliest(errors),
        notificationReadySince: earliest(notifications),
      }
    }),
  ),

  write: Effect.void,

  databaseBytes: Effect.succeed(null),

  amounts: Effect.gen(function* () {
    const { bytes: pendingBytes, payloads: pendingPayloads } = yield* pending.size
    const { bytes: deadLetterBytes, payloads: deadLetters } = yield* pending.deadLettersSize
    const yesterday = (yield* Clock.currentTimeMillis) - Duration.toMillis("1 day")
    return yield* state.read((reader) => {
      let pendingDeliveries = 0
      let failedDeliveries = 0
      for (const [, { completedAt, status }] of state.deliveries.entries(reader)) {
        if (status === "pending") pendingDeliveries++
        if (status === "failed" && completedAt !== null && completedAt.epochMilliseconds > yesterday) {
          failedDeliveries++
        }
      }
      let reports = 0
      for (const [, { reportsCount }] of state.projects.entries(reader)) reports += reportsCount
      return {
        reports,
        pendingPayloads,
        pendingBytes,
        deadLetters,
        deadLetterBytes,
        archivedBytes: 0,
        waitingGroupEvents: outboxOf(state, reader).length,
        pendingDeliveries,
        failedDeliveries,
      }
    })
  }),
})

// internal

/** Events that wait for the dispatcher. */
const outboxOf = (state: State, reader: Reader) =>
  [...state.groupEvents.entries(reader)]
    .map(([, event]) => event)
    .filter(({ consumer }) => consumer === webhooksConsumer || consumer === alertsConsumer)
