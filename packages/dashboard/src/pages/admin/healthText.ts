/** The names of health checks, and what to do about their codes. Unknown ones, of a later server, are shown as they are. */
import { counted } from "../../text/Numbers.js"

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

// internal

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
  deliveries_failed: "Webhook deliveries",
}

const advice: Readonly<Record<string, string>> = {
  database_unreachable:
    "The database does not respond. Check that it runs, and check its address and password.",
  migrations_pending: "The schema is older than this version. Run errata migrate, or restart the server.",
  encryption_key_invalid:
    "Stored secrets cannot be decrypted. Set ERRATA_ENCRYPTION_KEY to the key that encrypted them.",
  storage_unwritable:
    "The database rejects writes. Check for a full disk, a standby server or read-only mode.",
  disk_unmeasurable:
    "The free space of the database's disk cannot be measured. Check the path and its permissions.",
  disk_below_floor: "The database's disk has less free space than the intake requires. Free up disk space.",
  disk_low: "The database's disk is almost full. Free up disk space or keep errors for fewer days.",
  intake_paused_disk:
    "The intake rejects events until the database's disk has more free space. Free up disk space.",
  intake_paused_queue:
    "The intake rejects events because the queue is full. Check that workers run, or add one.",
  dispatcher_stale:
    "For more than a minute, no worker has checked for webhooks to send. Check that a node with the role worker runs.",
  worker_stale:
    "For more than a minute, no worker has checked for events to record. Check that a node with the role worker runs, and its log.",
  jobs_stalled:
    "Errors or notifications have waited for more than five minutes. Check the workers' logs, or add a worker.",
  deliveries_failed:
    "Deliveries failed permanently in the last 24 hours. The webhooks of each project list its deliveries.",
}
