/** Every metric of Errata with its Prometheus name. Times are in seconds. */

export interface MetricDescription {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  /** One sentence. */
  readonly help: string
  /** Names of labels. Their values come from fixed sets, so the number of series is bounded. */
  readonly labels: ReadonlyArray<string>
}

const described =
  (type: MetricDescription["type"]) =>
  (name: string, help: string, labels: ReadonlyArray<string> = []): MetricDescription => {
    return { name, type, help, labels }
  }
const counter = described("counter")
const gauge = described("gauge")
const histogram = described("histogram")

/** In the order of the metrics page. */
export const metricTable = {
  ingestAccepted: counter(
    "errata_ingest_accepted_total",
    "SDK requests answered with 200; their payloads are durable.",
  ),
  ingestRefused: counter("errata_ingest_refused_total", "SDK requests that were rejected, by reason.", [
    "reason",
  ]),
  payloadsAccepted: counter("errata_payloads_accepted_total", "Payloads written to the queue."),
  payloadBytesAccepted: counter(
    "errata_payload_accepted_bytes_total",
    "Bytes of decoded payloads written to the queue.",
  ),
  intakeWrite: histogram(
    "errata_intake_write_duration_seconds",
    "Duration of writes to the queue. Many requests share one write.",
  ),
  intakeFailures: counter("errata_intake_write_failures_total", "Failed writes to the queue."),
  payloadsRecorded: counter(
    "errata_payloads_recorded_total",
    "Payloads removed from the queue after recording, repeated events included.",
  ),
  deadLettersTotal: counter(
    "errata_dead_letters_total",
    "Payloads that became dead letters: they are invalid, cannot be recorded, or their project is deleted.",
  ),
  recording: histogram(
    "errata_recording_duration_seconds",
    "Duration of recording a batch in one transaction.",
  ),
  recordingFailures: counter("errata_recording_failures_total", "Batches that could not be recorded."),
  webhookAttempts: counter(
    "errata_webhook_attempts_total",
    "Webhook attempts by outcome: succeeded, will be retried, failed permanently.",
    ["outcome"],
  ),
  webhookAttempt: histogram(
    "errata_webhook_attempt_duration_seconds",
    "Duration of webhook attempts, from name lookup to response.",
  ),
  httpRequests: histogram(
    "errata_http_request_duration_seconds",
    "Duration of requests except SDK requests, by status class.",
    ["status"],
  ),
  ready: gauge("errata_ready", "1 if /ready reports ready, otherwise 0."),
  check: gauge("errata_check_ok", "1 if the readiness check passes, otherwise 0.", ["check"]),
  diskFree: gauge("errata_disk_free_bytes", "Free bytes of the database's disk."),
  diskFloor: gauge(
    "errata_disk_floor_bytes",
    "Free bytes of the database's disk below which the intake pauses.",
  ),
  diskLow: gauge(
    "errata_disk_low",
    "1 if the free space is below a threshold, otherwise 0. The threshold is four times the floor or half of the disk, whichever is smaller.",
  ),
  pendingPayloads: gauge("errata_pending_payloads", "Payloads in the queue."),
  pendingBytes: gauge("errata_pending_bytes", "Bytes of the payloads in the queue."),
  pendingAge: gauge(
    "errata_pending_age_seconds",
    "Age of the oldest payload that is ready to be recorded; 0 if the queue is empty.",
  ),
  deadLetters: gauge("errata_dead_letters", "Dead letters."),
  deadLetterBytes: gauge("errata_dead_letter_bytes", "Bytes of the dead letters."),
  archivedBytes: gauge("errata_archived_bytes", "Bytes of report bodies in the object store."),
  pendingGroupEvents: gauge("errata_pending_group_events", "Group events that have no deliveries yet."),
  pendingDeliveries: gauge("errata_pending_deliveries", "Webhook deliveries in the queue."),
  failedDeliveries: gauge(
    "errata_failed_deliveries",
    "Webhook deliveries that failed permanently in the last 24 hours.",
  ),
  notificationAge: gauge(
    "errata_notification_age_seconds",
    "Longest time that a due delivery or a group event has waited without an attempt to its webhook; 0 if none waits.",
  ),
  jobSuccess: gauge(
    "errata_job_last_success_timestamp_seconds",
    "Unix time of the last successful run of a background job on any node.",
    ["job"],
  ),
  connections: gauge(
    "errata_database_connections",
    "Busy and idle connections of the pool, and callers that wait for a connection.",
    ["state"],
  ),
} satisfies Readonly<Record<string, MetricDescription>>
