/**
 * The health checks and their fixed codes. A check is a value: a code, and a rule over facts that `Health` collects.
 * Codes contain no stored data and no secrets.
 */
import { type DateTime, Duration } from "effect"
import { heartbeatName as dispatchingWork } from "../dispatch/Dispatcher.js"
import { heartbeatName as recordingWork } from "../ingest/RecorderWorker.js"
import { heartbeatName as accountMail } from "../mail/AccountMails.js"
import type { DiskFinding, IntakePause } from "./HealthSources.js"
import type { StoredAmounts, StoredWork } from "./HealthStore.js"

/** The failure codes of health endpoints. */
export type HealthCode =
  | "database_unreachable"
  | "migrations_pending"
  | "encryption_key_invalid"
  | "storage_unwritable"
  | "disk_unmeasurable"
  | "disk_below_floor"
  | "intake_paused_disk"
  | "intake_paused_queue"
  | "dispatcher_stale"
  | "worker_stale"
  | "jobs_stalled"

/** Warnings for operators. They do not affect readiness. */
export type HealthWarningCode = "deliveries_failed" | "disk_low" | "mail_failed"

/** The input of the checks. Null means unknown. */
export interface HealthFacts {
  readonly isDatabaseReached: boolean
  readonly hasPendingMigrations: boolean | null
  readonly isWritable: boolean | null
  readonly work: StoredWork | null
  readonly areSecretsReadable: boolean | null
  readonly intakePausedBy: IntakePause | "nothing" | null
  readonly disk: DiskFinding | null
  /** True if some node should dispatch webhooks. */
  readonly notifies: boolean
  /** Maximum time since a worker's last success or start. */
  readonly patience: Duration.Duration
}

export interface HealthCheck {
  /** A short name of the subject. */
  readonly name: string
  readonly code: HealthCode
  /** Returns whether the check passes, or null if unknown. */
  readonly run: (facts: HealthFacts) => boolean | null
}

/** The result of a check. */
export interface HealthFinding {
  readonly name: string
  readonly ok: boolean
  /** Null if the check passed. If the result is unknown, the code of the failure that prevents the check. */
  readonly code: HealthCode | null
}

/** The state of an instance at one time. */
export interface HealthReport {
  /** True if all checks passed. */
  readonly isReady: boolean
  /** One for each of `healthChecks`, in their order. */
  readonly findings: ReadonlyArray<HealthFinding>
  /** Null if the storage could not be read. */
  readonly work: StoredWork | null
  /** Null if unknown. */
  readonly disk: DiskFinding | null
}

/** State of mail about accounts. The notification history has failures of notification mail. */
export interface MailHealth {
  /** True if this node can send mail. */
  readonly isSetUp: boolean
  /** Time of the last failure on any node, if any. */
  readonly failedAt: DateTime.Utc | null
  /** True if nothing was sent since the last failure. */
  readonly isFailing: boolean
}

/** A report with further information for operators. */
export interface HealthDetails extends HealthReport {
  readonly mail: MailHealth
  readonly warnings: ReadonlyArray<HealthWarningCode>
  /** Null if the storage could not be read. */
  readonly amounts: StoredAmounts | null
  /** Reports recorded per minute, over the last minute. Null until there are two readings. */
  readonly recordedPerMinute: number | null
  /** Null if unknown. */
  readonly databaseBytes: number | null
}

/** Maximum time that errors and notifications may wait, ready or leased. */
export const longestWait = Duration.minutes(5)

/** Ordered: a failure can prevent the checks after it. */
export const healthChecks: ReadonlyArray<HealthCheck> = [
  {
    name: "database",
    code: "database_unreachable",
    run: ({ isDatabaseReached }) => isDatabaseReached,
  },
  {
    name: "migrations",
    code: "migrations_pending",
    run: ({ hasPendingMigrations }) => (hasPendingMigrations === null ? null : !hasPendingMigrations),
  },
  {
    name: "encryption_key",
    code: "encryption_key_invalid",
    run: ({ areSecretsReadable }) => areSecretsReadable,
  },
  {
    name: "storage",
    code: "storage_unwritable",
    run: ({ isWritable }) => isWritable,
  },
  {
    name: "disk_measure",
    code: "disk_unmeasurable",
    run: ({ disk }) => (disk === null ? null : disk._tag !== "Unmeasurable"),
  },
  {
    name: "disk_space",
    code: "disk_below_floor",
    run: ({ disk }) => (disk === null ? null : disk._tag !== "Measured" || disk.freeBytes >= disk.floorBytes),
  },
  {
    name: "intake_disk",
    code: "intake_paused_disk",
    run: ({ intakePausedBy }) => (intakePausedBy === null ? null : intakePausedBy !== "disk"),
  },
  {
    name: "intake_queue",
    code: "intake_paused_queue",
    run: ({ intakePausedBy }) => (intakePausedBy === null ? null : intakePausedBy !== "queue"),
  },
  {
    name: "dispatcher",
    code: "dispatcher_stale",
    run: ({ notifies, patience, work }) => !notifies || isFresh(work, dispatchingWork, patience),
  },
  {
    name: "workers",
    code: "worker_stale",
    run: ({ patience, work }) => isFresh(work, recordingWork, patience),
  },
  {
    name: "jobs",
    code: "jobs_stalled",
    run: ({ notifies, work }) =>
      work === null
        ? null
        : !isOverdue(work, work.errorReadySince) &&
          !(notifies && isOverdue(work, work.notificationReadySince)),
  },
]

/** Runs all checks. */
export const findingsOf = (facts: HealthFacts): ReadonlyArray<HealthFinding> => {
  const inTheWay = facts.hasPendingMigrations === true ? "migrations_pending" : "database_unreachable"
  return healthChecks.map(({ code, name, run }) => {
    const ok = run(facts)
    return { name, ok: ok === true, code: ok === true ? null : ok === null ? inTheWay : code }
  })
}

/** Returns the warnings, which do not affect readiness. */
export const warningsOf = (
  { disk }: Pick<HealthReport, "disk">,
  amounts: Pick<StoredAmounts, "failedDeliveries"> | null,
  mail: Pick<MailHealth, "isFailing" | "isSetUp">,
): ReadonlyArray<HealthWarningCode> => [
  // Below the floor, the disk is a failure.
  ...(disk?._tag === "Measured" && disk.isLow && disk.freeBytes >= disk.floorBytes
    ? (["disk_low"] as const)
    : []),
  ...(amounts !== null && amounts.failedDeliveries > 0 ? (["deliveries_failed"] as const) : []),
  ...(mail.isSetUp && mail.isFailing ? (["mail_failed"] as const) : []),
]

/** Derives the state of mail from its job. */
export const mailOf = (isSetUp: boolean, work: StoredWork | null): MailHealth => {
  const job = work?.jobs.find(({ name }) => name === accountMail)
  const failedAt = job?.failedAt ?? null
  const succeeded = job?.succeededAt?.epochMilliseconds ?? 0
  return { isSetUp, failedAt, isFailing: failedAt !== null && failedAt.epochMilliseconds > succeeded }
}

// internal

/** Counts from the last success, or from the start if no failure has followed it. */
const isFresh = (work: StoredWork | null, name: string, patience: Duration.Duration): boolean | null => {
  if (work === null) return null
  const job = work.jobs.find((job) => job.name === name)
  if (job === undefined) return false
  const { failedAt, startedAt, succeededAt } = job
  const hasFailedSince = failedAt !== null && failedAt.epochMilliseconds >= startedAt.epochMilliseconds
  const last = Math.max(succeededAt?.epochMilliseconds ?? 0, hasFailedSince ? 0 : startedAt.epochMilliseconds)
  return work.now.epochMilliseconds - last <= Duration.toMillis(patience)
}

const isOverdue = ({ now }: StoredWork, since: DateTime.Utc | null): boolean =>
  since !== null && now.epochMilliseconds - since.epochMilliseconds > Duration.toMillis(longestWait)
