/** Names of health checks, and advice for their codes. Unknown ones, of newer servers, are shown unchanged. */
import { type Health, healthAdvice, type IngestProtection } from "@errata/api/promise"
import { bytes, count, counted, share } from "../../text/Numbers.js"
import { duration } from "../../text/Times.js"

export const nameOf = (check: string): string => names[check] ?? check

export const adviceOn = (code: string): string => advice[code] ?? code

/** Returns the result of the checks in a sentence or two. */
export const summaryOf = (
  checks: ReadonlyArray<{ readonly ok: boolean }>,
  warnings: ReadonlyArray<unknown>,
): string => {
  const failing = checks.filter(({ ok }) => !ok).length
  return [
    failing === 0 ? "All checks pass." : `${counted(failing, "check fails", "checks fail")}.`,
    ...(warnings.length === 0 ? [] : [`${counted(warnings.length, "warning")}.`]),
  ].join(" ")
}

/** Returns the size of the queue with its limit, and the age of the oldest payload. */
export const queueNote = (queue: Health["queue"], most: number | undefined): string => {
  if (queue === null) return "The database does not respond."
  const oldest = queue.oldest_waiting_seconds
  return [
    bytes(queue.bytes) + (most === undefined ? "" : `, ${share(queue.bytes, most)} of ${bytes(most)}`),
    ...(oldest === null ? [] : [`oldest waits ${duration(oldest * 1000)}`]),
  ].join(" · ")
}

/** Returns how many requests ingest protection rejected for each reason. */
export const rejectionNote = (protection: IngestProtection | undefined): string => {
  const reasons = [
    ["rate limit", protection?.recent_rejections_by_rate ?? 0],
    ["full queue", protection?.recent_rejections_by_queue ?? 0],
    ["full disk", protection?.recent_rejections_by_disk ?? 0],
  ] as const
  const found = reasons.filter(([, rejected]) => rejected > 0)
  if (found.length === 0) return "requests, by ingest protection"
  return found.map(([reason, rejected]) => `${reason} ${count(rejected)}`).join(" · ")
}

type Job = Health["jobs"][number]

/** True for work that runs all the time. The other jobs run now and then. */
export const isWorker = ({ name }: Pick<Job, "name">): boolean => name in workers

/** Orders workers as events pass them, and other jobs behind them. */
export const byImportance = (a: Pick<Job, "name">, b: Pick<Job, "name">): number => placeOf(a) - placeOf(b)

/** True if the last run failed. */
export const hasFailed = ({ failed_at: failed, succeeded_at: succeeded }: Job): boolean =>
  failed !== null && (succeeded === null || Date.parse(failed) > Date.parse(succeeded))

export const jobName = (name: string): string => workers[name] ?? sentence(name)

// internal

const workers: Readonly<Record<string, string>> = {
  record: "Record events",
  dispatch: "Send webhooks",
  "map-frames": "Map source maps",
}

const placeOf = (job: Pick<Job, "name">): number =>
  isWorker(job) ? Object.keys(workers).indexOf(job.name) : Number.MAX_SAFE_INTEGER

/** `expire-uploads` as `Expire uploads`. */
const sentence = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ")

const names: Readonly<Record<string, string>> = {
  database: "Database",
  migrations: "Schema of the database",
  encryption_key: "Encryption key",
  storage: "Writes to the database",
  disk_measure: "Measurement of the disk",
  disk_space: "Free disk space",
  intake_disk: "Intake: disk",
  intake_queue: "Intake: queue",
  dispatcher: "Webhook workers",
  workers: "Recording workers",
  jobs: "Waiting work",
  disk_low: "Disk space",
  deliveries_failed: "Deliveries",
  mail_failed: "Mail",
}

/** Replaces commands by pages of the dashboard. */
const advice: Readonly<Record<string, string>> = {
  ...healthAdvice,
  migrations_pending: "The schema is older than this version. Run errata migrate, or restart the server.",
  disk_low: "The database's disk is almost full. Free up disk space or keep errors for fewer days.",
  deliveries_failed:
    "Deliveries failed permanently in the last 24 hours. The webhooks of each project list its deliveries, and its alerts list its notifications.",
}
