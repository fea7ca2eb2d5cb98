/** The order in which `docs/configuration.md` lists the settings. */

export interface ConfigurationSection {
  readonly title: string
  /** Text above the table: what the settings have in common, and who changes them. */
  readonly about?: string
  /** Paths of settings, or beginnings of paths that end with a dot. */
  readonly paths: ReadonlyArray<string>
}

/** The settings that most instances change. They are listed in their sections as well. */
export const commonPaths: ReadonlyArray<string> = [
  "baseUrl",
  "host",
  "port",
  "databaseUrl",
  "dataDir",
  "encryptionKey",
  "smtpUrl",
  "mailFrom",
  "trustedProxies",
  "corsOrigins",
  "roles",
  "metrics.enabled",
]

export const configurationSections: ReadonlyArray<ConfigurationSection> = [
  {
    title: "Network",
    paths: [
      ...["host", "port", "baseUrl", "trustedProxies", "corsOrigins", "dsnPrefixes", "serviceName"],
      ...["allowPrivateAddresses", "drainTime"],
    ],
  },
  {
    title: "Storage",
    paths: [
      ...[
        "storage",
        "dataDir",
        "databaseUrl",
        "databaseWorkerUrls",
        "databaseSchema",
        "databaseDiskPath",
        "databaseAnswerTimeout",
      ],
      ...["encryptionKey", "blobs", "blobsS3.", "archiveAfterWeeks"],
    ],
  },
  { title: "First admin", paths: ["admin."] },
  {
    title: "Processes, dashboard, logs and metrics",
    paths: ["roles", "processes", "dashboard.", "log.", "metrics."],
  },
  {
    title: "Ingest protection",
    about:
      "Web nodes answer 429 while one of these limits is reached. Turn a protection off only if something else protects the server.",
    paths: ["policies.ingestProtection.", "maxPendingIngestBytes"],
  },
  {
    title: "Error retention",
    about:
      "Error retention deletes old reports. It runs every night at 02:00 UTC. Change it to keep reports for a longer or shorter time, or if they fill the disk.",
    paths: ["policies.errorRetention."],
  },
  {
    title: "Artifact retention",
    about:
      "Artifacts are the files that build tools upload, such as source maps. Artifact retention deletes old ones. It runs every night at 02:00 UTC. Turn it on if uploads fill the disk.",
    paths: ["policies.artifactRetention."],
  },
  {
    title: "Hosted source maps",
    about:
      "Change the time limits and sizes if source maps fail with `hosted_timeout` or `source_map_too_large`.",
    paths: ["policies.hostedSourcemaps.", "hostedMaps."],
  },
  {
    title: "Limits of events",
    about:
      "Raise a limit if reports name it in `ingest_truncations`, or if SDKs get 413. Unless the description says that a request is rejected, Errata keeps the event, cuts the value and names it in `ingest_truncations`. An envelope may have 16 items and header lines of 8 KiB. In an event, Errata keeps a depth of 64, keys of 1 KiB, indexed strings of 8 KiB, tag keys of 200 bytes and tag values of 2 KiB. It keeps 32 exceptions, 64 threads, 1000 frames, 50 contexts, 500 dependencies and 500 debug images.",
    paths: ["ingestLimits."],
  },
  {
    title: "Limits of uploads",
    about:
      "Raise a limit if a build tool reports that an upload exceeds it. Fixed limits of a bundle: 50,000 files, a manifest of 16 MiB, and 2 GiB decompressed.",
    paths: ["artifacts."],
  },
  {
    title: "Mail and notifications",
    about: "Operators set `smtpUrl` and `mailFrom` for mail. [Operations](operations.md#mail) shows how.",
    paths: ["smtpUrl", "mailFrom", "notifications."],
  },
  {
    title: "Webhooks",
    about: "Deliveries to webhooks and notification targets.",
    paths: ["webhooks."],
  },
  {
    title: "Source maps",
    about: "Change these for very large source maps or a slow file store.",
    paths: ["sourcemaps."],
  },
  {
    title: "Dead-letter queue",
    about:
      "Dead letters are payloads that could not be recorded. `errata dead-letters list` shows them. Raise the limits if dead letters are deleted before you retry them.",
    paths: ["deadLetters."],
  },
  {
    title: "Intake and recorder",
    about:
      "How web nodes queue events, and worker nodes record them. The defaults suit a node with two processors. Change them on a larger or smaller node.",
    paths: ["intake.", "recorder."],
  },
  {
    title: "Background jobs",
    about: "Change the interval if the end of mutes must take effect sooner.",
    paths: ["backgroundInterval"],
  },
]
