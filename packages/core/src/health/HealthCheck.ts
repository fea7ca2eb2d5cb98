/**
 * The checks of an instance, and the fixed codes of what they find. A check is a value: its code, and a rule over facts
 * that somebody else has gathered. Codes carry nothing of what is stored, said or secret.
 */
import { type DateTime, Duration } from "effect"
import { heartbeatName as dispatchingWork } from "../dispatch/Dispatcher.js"
import { heartbeatName as recordingWork } from "../ingest/RecorderWorker.js"
import { heartbeatName as accountMail } from "../mail/AccountMails.js"
import type { DiskFinding, IntakePause } from "./HealthSources.js"
import type { StoredAmounts, StoredWork } from "./HealthStore.js"

/** The faults of an instance, as health endpoints name them. */
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

/** Of what an operator should know and what nevertheless leaves the instance ready. */
export type HealthWarningCode = "deliveries_failed" | "disk_low" | "mail_failed"

/** What the checks judge by. Null is what could not be found out. */
export interface HealthFacts {
  readonly isDatabaseReached: boolean
  readonly hasPendingMigrations: boolean | null
  readonly isWritable: boolean | null
  readonly work: StoredWork | null
  readonly areSecretsReadable: boolean | null
  readonly intakePausedBy: IntakePause | "nothing" | null
  readonly disk: DiskFinding | null
  /** Whether webhooks are told anything. */
  readonly notifies: boolean
  /** How long workers may be silent. */
  readonly patience: Duration.Duration
}

export interface HealthCheck {
  /** What is checked, in a word. */
  readonly name: string
  readonly code: HealthCode
  /** Whether it is in order; null where that could not be found out. */
  readonly run: (facts: HealthFacts) => boolean | null
}

/** What came of a check. */
export interface HealthFinding {
  readonly name: string
  readonly ok: boolean
  /** Null where it is in order. What cannot be judged has the code of what stands in the way. */
  readonly code: HealthCode | null
}

/** The state of an instance at one moment. */
export interface HealthReport {
  /** Whether all checks are in order. */
  readonly isReady: boolean
  /** One for each of `healthChecks`, in their order. */
  readonly findings: ReadonlyArray<HealthFinding>
  /** Null where the storage could not be read. */
  readonly work: StoredWork | null
  /** Null where it could not be asked for. */
  readonly disk: DiskFinding | null
}

/** Mail about accounts. Mail of notifications is in their history. */
export interface MailHealth {
  /** True if this node can send mail. */
  readonly isSetUp: boolean
  /** The last failure of any node; null without one. */
  readonly failedAt: DateTime.Utc | null
  /** True if nothing was sent since the last failure. */
  readonly isFailing: boolean
}

/** A report with what an operator should know besides. */
export interface HealthDetails extends HealthReport {
  readonly mail: MailHealth
  readonly warnings: ReadonlyArray<HealthWarningCode>
  /** Null where the storage could not be read. */
  readonly amounts: StoredAmounts | null
  /** Null where it is not known. */
  readonly databaseBytes: number | null
}

/** How long errors and notifications may stay ready or claimed. */
export const longestWait = Duration.minutes(5)

/** In the order in which one stands in the way of those after it. */
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

/** What all of the checks find. */
export const findingsOf = (facts: HealthFacts): ReadonlyArray<HealthFinding> => {
  const inTheWay = facts.hasPendingMigrations === true ? "migrations_pending" : "database_unreachable"
  return healthChecks.map(({ code, name, run }) => {
    const ok = run(facts)
    return { name, ok: ok === true, code: ok === true ? null : ok === null ? inTheWay : code }
  })
}

/** Faults that leave the instance ready. */
export const warningsOf = (
  { disk }: Pick<HealthReport, "disk">,
  amounts: Pick<StoredAmounts, "failedDeliveries"> | null,
  mail: Pick<MailHealth, "isFailing" | "isSetUp">,
): ReadonlyArray<HealthWarningCode> => [
  ...(disk?._tag === "Measured" && disk.isLow ? (["disk_low"] as const) : []),
  ...(amounts !== null && amounts.failedDeliveries > 0 ? (["deliveries_failed"] as const) : []),
  ...(mail.isSetUp && mail.isFailing ? (["mail_failed"] as const) : []),
]

/** The state of mail, as the storage knows it. */
export const mailOf = (isSetUp: boolean, work: StoredWork | null): MailHealth => {
  const job = work?.jobs.find(({ name }) => name === accountMail)
  const failedAt = job?.failedAt ?? null
  const succeeded = job?.succeededAt?.epochMilliseconds ?? 0
  return { isSetUp, failedAt, isFailing: failedAt !== null && failedAt.epochMilliseconds > succeeded }
}

// internal

/** Work is fresh after a success, and after a start that no failure has followed. */
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
