import type { HealthCode, HealthWarningCode } from "@errata/core"

/** The meaning of each code of a failing health check or of a warning, and a remedy. */
export const healthAdvice = {
  database_unreachable:
    "The database does not respond. Check that it runs, and check its address and password.",
  migrations_pending: "The schema is older than this version. Run errata migrate, or start a server.",
  encryption_key_invalid:
    "Stored secrets cannot be decrypted. Set ERRATA_ENCRYPTION_KEY to the key that encrypted them.",
  storage_unwritable:
    "The database rejects writes. Check for a full disk, a standby server or read-only mode.",
  disk_unmeasurable:
    "The free space of the database's disk cannot be measured. Check the path and its permissions.",
  disk_below_floor: "The database's disk has less free space than the intake requires. Free up disk space.",
  disk_low:
    "The database's disk is almost full. Before the intake pauses, free up disk space or keep errors for fewer days.",
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
    "Webhook deliveries or notifications failed permanently in the last 24 hours. Run errata deliveries list WEBHOOK --success false, or errata notifications list --status failed.",
  mail_failed:
    "The last mail about an account was not sent. The server's log has the answer of the mail server. Check ERRATA_SMTP_URL and ERRATA_MAIL_FROM.",
} as const satisfies Readonly<Record<HealthCode | HealthWarningCode, string>>
