/** Metrics of a health report and of the queues in the storage. */
import { family, type MetricFamily } from "../metric/MetricFamily.js"
import { metricTable as table } from "../metric/MetricTable.js"
import type { HealthReport } from "./HealthCheck.js"
import type { StoredAmounts } from "./HealthStore.js"

/** Converts a report to metrics. If the storage cannot be read, only metrics of the checks remain. */
export const metricsOf = (
  { disk, findings, isReady, work }: HealthReport,
  amounts: StoredAmounts | null,
): ReadonlyArray<MetricFamily> => [
  family(table.ready, [[isReady ? 1 : 0]]),
  family(
    table.check,
    findings.map(({ name, ok }) => [ok ? 1 : 0, { check: name }]),
  ),
  ...(disk?._tag === "Measured"
    ? [
        family(table.diskFree, [[disk.freeBytes]]),
        family(table.diskFloor, [[disk.floorBytes]]),
        family(table.diskLow, [[disk.isLow ? 1 : 0]]),
      ]
    : []),
  ...(work === null
    ? []
    : [
        family(table.pendingAge, [
          [ageOf(work.now.epochMilliseconds, work.errorReadySince?.epochMilliseconds)],
        ]),
        family(table.notificationAge, [
          [ageOf(work.now.epochMilliseconds, work.notificationReadySince?.epochMilliseconds)],
        ]),
        family(
          table.jobSuccess,
          work.jobs.flatMap(({ name, succeededAt }) =>
            succeededAt === null ? [] : [[succeededAt.epochMilliseconds / 1000, { job: name }] as const],
          ),
        ),
      ]),
  ...(amounts === null
    ? []
    : [
        family(table.pendingPayloads, [[amounts.pendingPayloads]]),
        family(table.pendingBytes, [[amounts.pendingBytes]]),
        family(table.deadLetters, [[amounts.deadLetters]]),
        family(table.deadLetterBytes, [[amounts.deadLetterBytes]]),
        family(table.archivedBytes, [[amounts.archivedBytes]]),
        family(table.pendingGroupEvents, [[amounts.waitingGroupEvents]]),
        family(table.pendingDeliveries, [[amounts.pendingDeliveries]]),
        family(table.failedDeliveries, [[amounts.failedDeliveries]]),
      ]),
]

// internal

const ageOf = (now: number, since: number | undefined): number =>
  since === undefined ? 0 : Math.max(0, (now - since) / 1000)
