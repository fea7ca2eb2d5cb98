/** Retention of errors. A run that found partitions in use is repeated an hour later. */
import { DateTime, Effect, Option } from "effect"
import type { ErrorRetention } from "../policy/Policy.js"
import { DiskSpace } from "../storage/DiskSpace.js"
import { Storage } from "../storage/Storage.js"
import { cutoffOf } from "./RetentionAge.js"
import type { RetentionRun, RetentionRunId } from "./RetentionRun.js"
import { RetentionStore } from "./RetentionStore.js"
import * as RetentionTurns from "./RetentionTurns.js"

/** Performs the due run, if any. Returns whether there was one. */
export const turn = Effect.suspend(() =>
  RetentionTurns.turn({
    kind: "errors",
    policy: "errorRetention",
    size: Effect.flatMap(RetentionStore, (store) => store.size),
    isToBeRetried: ({ finishedAt, removed }, now) =>
      removed.postponed > 0 &&
      finishedAt !== null &&
      DateTime.isGreaterThanOrEqualTo(now, DateTime.add(finishedAt, { hours: 1 })),
    purge,
    log: logRun,
  }),
).pipe(Effect.withSpan("RetentionJob.turn"))

export const job = RetentionTurns.job("retain-errors", turn)

// internal

/** Returns whether disk usage is within the limit. */
const purge = Effect.fnUntraced(function* (id: RetentionRunId, policy: ErrorRetention) {
  const store = yield* RetentionStore
  const before = cutoffOf(policy, yield* (yield* Storage).now)
  yield* store.begin(id, {
    timePurgeType: before === null ? null : policy.timePurgeType,
    before,
    bytesBefore: yield* store.size,
  })
  if (before !== null && policy.timePurgeType === "partial") yield* store.purgeDetails(id, before)
  if (before !== null && policy.timePurgeType === "full") yield* purgeAll(id, before)
  return policy.enabled && policy.diskBasedEnabled ? yield* purgeByDisk(id, policy) : null
})

const purgeAll = (id: RetentionRunId, before: DateTime.Utc) =>
  Effect.flatMap(RetentionStore, (store) =>
    Effect.andThen(store.purgeReports(id, before), store.purgeGroups(id, before)),
  )

/**
 * Deletes whole partitions, oldest first. Deleting rows from a partition frees no disk space, so a run would delete
 * more and more without effect.
 */
const purgeByDisk = Effect.fnUntraced(function* (id: RetentionRunId, policy: ErrorRetention) {
  const store = yield* RetentionStore
  let after: DateTime.Utc | null = null
  while (true) {
    const isOver = yield* isOverLimit(policy)
    if (isOver !== true) return isOver === null ? null : true
    const end: Option.Option<DateTime.Utc> = yield* store.endOfOldest(after)
    if (Option.isNone(end)) {
      yield* Effect.logWarning("The disk limit is exceeded, but no whole week is left to delete")
      return false
    }
    yield* purgeAll(id, end.value)
    after = end.value
  }
})

/** Null if the disk cannot be measured. */
const isOverLimit = Effect.fnUntraced(function* ({ diskLimitType, diskLimitValue }: ErrorRetention) {
  const store = yield* RetentionStore
  if (diskLimitType === "absolute") return (yield* store.size) > diskLimitValue * RetentionTurns.bytesOfGb
  const { measure } = yield* DiskSpace
  return yield* measure.pipe(
    Effect.map(({ freeBytes, totalBytes }) => (totalBytes - freeBytes) * 100 > totalBytes * diskLimitValue),
    Effect.catchTag("DiskUnmeasurable", ({ reason }) => unmeasurable(reason)),
  )
})

const unmeasurable = (reason: string) =>
  Effect.as(
    Effect.annotateLogs(Effect.logWarning("Error retention cannot measure the disk"), { reason }),
    null,
  )

const logRun = ({ bytesAfter, bytesBefore, removed }: RetentionRun) =>
  Effect.annotateLogs(Effect.logInfo("Error retention finished"), { ...removed, bytesBefore, bytesAfter })
