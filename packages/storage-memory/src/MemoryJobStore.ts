import type { JobState, JobStore } from "@errata/core/ports"
import { DateTime, Duration } from "effect"
import type { JobRow, State } from "./internal/State.js"

export const make = (state: State): JobStore["Service"] => ({
  acquire: (name, node, duration) =>
    state.write((transaction, now) => {
      const job = state.jobs.get(transaction, name) ?? fresh(name, node, now)
      const isFree = job.leasedUntil <= now || job.node === node
      if (job.dueAt > now || !isFree) {
        const after = Math.max(job.dueAt, job.node === node ? 0 : job.leasedUntil) - now
        return { _tag: "Later", after: Duration.millis(after) }
      }
      const leasedUntil = now + Duration.toMillis(duration)
      state.jobs.set(transaction, name, { ...job, node, leasedUntil, startedAt: now, heartbeatAt: now })
      return { _tag: "Acquired" }
    }),

  renew: (name, node, duration) =>
    state.write((transaction, now) => {
      const job = state.jobs.get(transaction, name)
      if (job?.node !== node || job.leasedUntil === 0) return false
      const leasedUntil = now + Duration.toMillis(duration)
      state.jobs.set(transaction, name, { ...job, leasedUntil, heartbeatAt: now })
      return true
    }),

  release: (name, node, outcome) =>
    state.write((transaction, now) => {
      const job = state.jobs.get(transaction, name)
      if (job?.node !== node || job.leasedUntil === 0) return false
      state.jobs.set(transaction, name, {
        ...job,
        leasedUntil: 0,
        heartbeatAt: now,
        ...(outcome._tag === "Interrupted" ? {} : { dueAt: now + Duration.toMillis(outcome.next) }),
        ...(outcome._tag === "Succeeded" ? { succeededAt: now } : {}),
        ...(outcome._tag === "Failed" ? { failedAt: now, failure: outcome.failure } : {}),
      })
      return true
    }),

  heartbeat: (name, node, next, outcome) =>
    state.write((transaction, now) => {
      const job = state.jobs.get(transaction, name) ?? fresh(name, node, now)
      state.jobs.set(transaction, name, {
        ...job,
        node,
        heartbeatAt: now,
        dueAt: now + Duration.toMillis(next),
        ...(outcome === "started"
          ? { startedAt: now }
          : outcome === "succeeded"
            ? { succeededAt: now }
            : { failedAt: now, failure: outcome.failure }),
      })
    }),

  list: state.read((reader, now) => ({
    now: DateTime.makeUnsafe(now),
    jobs: [...state.jobs.entries(reader)]
      .map(([, row]) => stateOf(row))
      .sort((self, that) => (self.name < that.name ? -1 : 1)),
  })),
})

// internal

const fresh = (name: string, node: string, now: number): JobRow => ({
  name,
  node,
  leasedUntil: 0,
  dueAt: now,
  heartbeatAt: now,
  startedAt: now,
  succeededAt: null,
  failedAt: null,
  failure: null,
})

const stateOf = (row: JobRow): JobState => ({
  ...row,
  leasedUntil: row.leasedUntil === 0 ? null : DateTime.makeUnsafe(row.leasedUntil),
  dueAt: DateTime.makeUnsafe(row.dueAt),
  heartbeatAt: DateTime.makeUnsafe(row.heartbeatAt),
  startedAt: DateTime.makeUnsafe(row.startedAt),
  succeededAt: row.succeededAt === null ? null : DateTime.makeUnsafe(row.succeededAt),
  failedAt: row.failedAt === null ? null : DateTime.makeUnsafe(row.failedAt),
})
