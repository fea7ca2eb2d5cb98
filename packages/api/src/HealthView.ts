/** The state of an instance as the API shows it. */
import type { HealthDetails } from "@errata/core"
import type { StoredWork } from "@errata/core/ports"
import { Schema } from "effect"
import { described, named, Timestamp } from "./Json.js"

const QueueView = Schema.Struct({
  payloads: described("Accepted payloads that are not recorded yet", Schema.Int),
  bytes: described("Size of their bodies in bytes", Schema.Int),
  oldest_waiting_seconds: described(
    "Seconds since the oldest payload could be recorded. Null if none waits",
    Schema.NullOr(Schema.Int),
  ),
  recorded_per_minute: described(
    "Reports recorded per minute, over the last minute. Null in the first response of a process, and after minutes without requests",
    Schema.NullOr(Schema.Int),
  ),
})

const JobView = Schema.Struct({
  name: described("Name of the job", Schema.String),
  node: described("Name of the node that ran it last", Schema.String),
  heartbeat_at: described("Last sign of life", Timestamp),
  succeeded_at: described("Last success, or null", Schema.NullOr(Timestamp)),
  failed_at: described("Last failure, or null", Schema.NullOr(Timestamp)),
  failure: described("Class of the last failure, or null", Schema.NullOr(Schema.String)),
})

/** The state of an instance, as REST shows it. */
export const HealthView = Schema.Struct({
  ready: described("True if all checks pass, as in `/ready`", Schema.Boolean),
  checks: described(
    "Every check, in a fixed order",
    Schema.Array(
      Schema.Struct({
        name: described("Name of the check", Schema.String),
        ok: described("True if the check passes", Schema.Boolean),
        code: described("Code of the failure, or null", Schema.NullOr(Schema.String)),
      }),
    ),
  ),
  warnings: described(
    "Warnings, which do not affect `ready`",
    Schema.Array(Schema.Struct({ code: described("Code of the warning", Schema.String) })),
  ),
  queue: described("The queue of the intake. Null if the storage does not respond", Schema.NullOr(QueueView)),
  jobs: described(
    "Recording (`record`), webhooks (`dispatch`) and the other background jobs of all nodes",
    Schema.Array(JobView),
  ),
  mail: described(
    "Mail about accounts: invitations and lost passwords",
    Schema.Struct({
      set_up: described("True if the server can send mail", Schema.Boolean),
      failed_at: described("Last failure, or null", Schema.NullOr(Timestamp)),
    }),
  ),
  database_bytes: described(
    "Size of the tables of Errata. Null if the storage does not respond, or is not on a disk",
    Schema.NullOr(Schema.Int),
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

const jobView = (job: StoredWork["jobs"][number]): HealthView["jobs"][number] => ({
  name: job.name,
  node: job.node,
  heartbeat_at: job.heartbeatAt,
  succeeded_at: job.succeededAt,
  failed_at: job.failedAt,
  failure: job.failure,
})
