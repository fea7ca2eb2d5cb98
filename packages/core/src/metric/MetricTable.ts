/** Every figure that Errata tells of itself, under the names by which Prometheus knows it. Times are in seconds. */

export interface MetricDescription {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  /** One sentence. */
  readonly help: string
  /** Names of labels. Their values are Errata's own words: there are as many series as there are words. */
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

/** In the order of the page. */
export const metricTable = {
  ingestAccepted: counter(
    "errata_ingest_accepted_total",
    "Requests of SDKs that were answered with 200: what they sent is durable.",
  ),
  ingestRefused: counter(
    "errata_ingest_refused_total",
    "Requests of SDKs that were refused, by the reason that they were told.",
    ["reason"],
  ),
  payloadsAccepted: counter("errata_payloads_accepted_total", "Payloads that were made durable."),
  payloadBytesAccepted: counter(
    "errata_payload_accepted_bytes_total",
    "Bytes of the decoded payloads that were made durable.",
  ),
  intakeWrite: histogram(
    "errata_intake_write_duration_seconds",
    "How long a write of accepted payloads took, which many requests share.",
  ),
  intakeFailures: counter("errata_intake_write_failures_total", "Writes of accepted payloads that failed."),
  payloadsRecorded: counter(
    "errata_payloads_recorded_total",
    "Payloads that were taken off the queue, repeats included.",
  ),
  payloadsSetAside: counter(
    "errata_payloads_set_aside_total",
    "Payloads that could not be decoded or belong to nothing, and were set aside.",
  ),
  recording: histogram(
    "errata_recording_duration_seconds",
    "How long recording a batch of payloads took, in one transaction.",
  ),
  recordingFailures: counter("errata_recording_failures_total", "Batches whose recording failed."),
  webhookAttempts: counter(
    "errata_webhook_attempts_total",
    "Attempts to send to webhooks, by their outcome: succeeded, retried later, or failed for good.",
    ["outcome"],
  ),
  webhookAttempt: histogram(
    "errata_webhook_attempt_duration_seconds",
    "How long an attempt to send to a webhook took, from looking up the name to the answer.",
  ),
  httpRequests: histogram(
    "errata_http_request_duration_seconds",
    "How long requests other than those of SDKs took, by the class of their status.",
    ["status"],
  ),
  ready: gauge("errata_ready", "Whether /ready says ready: 1 or 0."),
  check: gauge("errata_check_ok", "Whether a check of readiness is in order: 1 or 0.", ["check"]),
  pendingPayloads: gauge("errata_pending_payloads", "Payloads that wait to be recorded."),
  pendingBytes: gauge("errata_pending_bytes", "Bytes of the bodies that wait to be recorded."),
  pendingAge: gauge(
    "errata_pending_age_seconds",
    "For how long what has waited longest to be recorded has been ready; 0 where nothing waits.",
  ),
  setAsidePayloads: gauge("errata_set_aside_payloads", "Payloads that are set aside."),
  setAsideBytes: gauge("errata_set_aside_bytes", "Bytes of the bodies that are set aside."),
  pendingGroupEvents: gauge(
    "errata_pending_group_events",
    "What happened to groups and no delivery was made of yet.",
  ),
  pendingDeliveries: gauge("errata_pending_deliveries", "Deliveries to webhooks that are still to be made."),
  failedDeliveries: gauge(
    "errata_failed_deliveries",
    "Deliveries to webhooks that were given up in the last 24 hours.",
  ),
  notificationAge: gauge(
    "errata_notification_age_seconds",
    "For how long a notification has been ready with nobody sending to its webhook, at most; 0 where none waits.",
  ),
  jobSuccess: gauge(
    "errata_job_last_success_timestamp_seconds",
    "When a piece of background work came to its end last, on whichever node.",
    ["job"],
  ),
  connections: gauge(
    "errata_database_connections",
    "Connections of the pool that are busy and idle, and callers that wait for one.",
    ["state"],
  ),
} satisfies Readonly<Record<string, MetricDescription>>
