/** What the codes of `errata status` mean to the person who reads them, and what to do. */
import type { HealthCode, HealthWarningCode } from "@errata/core"

export type StatusCode = HealthCode | "server_stopped" | "up_failing" | "ready_failing"

export const adviceOn: Readonly<Record<StatusCode | HealthWarningCode, string>> = {
  server_stopped: "Nobody answers there. Start it with errata serve, or name its address with --url.",
  up_failing:
    "What answers there is no server of Errata, or one that hangs. Is the address right? Else restart it.",
  ready_failing: "The server takes itself for not ready. The other checks say why, and so does its log.",
  database_unreachable:
    "The database does not answer. Is it running, and are its address and password right?",
  migrations_pending:
    "The schema is older than this version. Run errata migrate, or start a server, which does so.",
  encryption_key_invalid:
    "Stored secrets cannot be decrypted. Give the encryption key that they were stored with.",
  storage_unwritable: "The database cannot be written. Is its disk full, or is it a standby or read-only?",
  disk_unmeasurable:
    "The free space of the database's disk cannot be measured. Is the path right, and readable?",
  disk_below_floor: "There is less space on the database's disk than the intake leaves free. Make room.",
  intake_paused_disk: "No events are taken in until there is more space on the database's disk. Make room.",
  intake_paused_queue:
    "No events are taken in until fewer wait to be recorded. Are workers running, and fast enough?",
  dispatcher_stale: "Nobody has told webhooks anything for a minute. Is a node with the role worker running?",
  worker_stale:
    "Nobody has recorded anything for a minute. Is a node with the role worker running? See its log.",
  jobs_stalled:
    "Errors or notifications have waited for more than five minutes. Are there enough workers? See their logs.",
  deliveries_failed:
    "Notifications were given up in the last 24 hours. See errata deliveries list WEBHOOK --success false.",
}
