/** The state of an instance as the API shows it. */
import type { HealthDetails } from "@errata/core"
import { Schema } from "effect"
import { flag, int, intOrNull, text, textOrNull, time, timeOrNull, viewOf } from "./Fields.js"
import { described, named } from "./Json.js"

const QueueView = Schema.Struct({
  payloads: int("Accepted payloads that are not recorded yet"),
  bytes: int("Size of their bodies in bytes"),
  oldest_waiting_seconds: intOrNull("Seconds since the oldest payload could be recorded. Null if none waits"),
  recorded_per_minute: intOrNull(
    "Reports recorded per minute, over the last minute. Null in the first response of a process, and after minutes without requests",
  ),
})

const JobView = Schema.Struct({
  name: text("Name of the job"),
  node: text("Name of the node that ran it last"),
  heartbeat_at: time("Last sign of life"),
  succeeded_at: timeOrNull("Last success, or null"),
  failed_at: timeOrNull("Last failure, or null"),
  failure: textOrNull("Class of the last failure, or null"),
})

/** The state of an instance, as REST shows it. */
export const HealthView = Schema.Struct({
  ready: flag("True if all checks pass, as in `/ready`"),
  checks: described(
    "Every check, in a fixed order",
    Schema.Array(
      Schema.Struct({
        name: text("Name of the check"),
        ok: flag("True if the check passes"),
        code: textOrNull("Code of the failure, or null"),
      }),
    ),
  ),
  warnings: described(
    "Warnings, which do not affect `ready`",
    Schema.Array(Schema.Struct({ code: text("Code of the warning") })),
  ),
  queue: described("The queue of the intake. Null if the storage does not respond", Schema.NullOr(QueueView)),
  jobs: described(
    "Recording (`record`), webhooks (`dispatch`) and the other background jobs of all nodes",
    Schema.Array(JobView),
  ),
  mail: described(
    "Mail about accounts: invitations and lost passwords",
    Schema.Struct({
      set_up: flag("True if the server can send mail"),
      failed_at: timeOrNull("Last failure, or null"),
    }),
  ),
  database_bytes: intOrNull(
    "Size of the tables of Errata. Null if the storage does not respond, or is not on a disk",
  ),
}).pipe(
  named("Health", {
    ready: false,
    checks: [
      { name: "database", ok: true, code: null },
      { name: "workers", ok: false, code: "worker_stale" },
    ],
    warnings: [{ code: "deliveries_failed" }],
    queue: { payloads: 12, bytes: 48_200, oldest_waiting_seconds: 95, recorded_per_minute: 980 },
    jobs: [
      {
        name: "record",
        node: "web-1",
        heartbeat_at: "2026-01-05T08:00:00.000Z",
        succeeded_at: "2026-01-05T08:00:00.000Z",
        failed_at: null,
        failure: null,
      },
    ],
    mail: { set_up: true, failed_at: null },
    database_bytes: 2_147_483_648,
  }),
)
export type HealthView = typeof HealthView.Type

export const healthView = (details: HealthDetails): HealthView => ({
  ready: details.isReady,
  checks: details.findings.map(({ code, name, ok }) => ({ name, ok, code })),
  warnings: details.warnings.map((code) => ({ code })),
  queue: queueView(details),
  jobs: (details.work?.jobs ?? []).map(jobView),
  mail: { set_up: details.mail.isSetUp, failed_at: details.mail.failedAt },
  database_bytes: details.databaseBytes,
})

// internal

const queueView = ({ amounts, recordedPerMinute, work }: HealthDetails): HealthView["queue"] => {
  if (amounts === null || work === null) return null
  const since = work.errorReadySince?.epochMilliseconds
  return {
    payloads: amounts.pendingPayloads,
    bytes: amounts.pendingBytes,
    oldest_waiting_seconds:
      since === undefined ? null : Math.max(0, Math.round((work.now.epochMilliseconds - since) / 1000)),
    recorded_per_minute: recordedPerMinute,
  }
}

const jobView = viewOf(JobView.fields)
