/** The names of health checks, and what to do about their codes. Unknown ones, of a later server, are shown as they are. */
import { healthAdvice } from "@errata/api/promise"
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

/** Without commands, where a page of the dashboard does the same. */
const advice: Readonly<Record<string, string>> = {
  ...healthAdvice,
  migrations_pending: "The schema is older than this version. Run errata migrate, or restart the server.",
  disk_low: "The database's disk is almost full. Free up disk space or keep errors for fewer days.",
  deliveries_failed:
    "Deliveries failed permanently in the last 24 hours. The webhooks of each project list its deliveries.",
}
