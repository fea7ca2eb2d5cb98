import { Context, Duration, Schema } from "effect"
import { ArtifactLimits } from "./config/ArtifactLimits.js"
import { IngestLimits } from "./config/IngestLimits.js"
import { settingsFrom } from "./config/SettingList.js"
import { bytes, constant, count, duration, flag, word } from "./config/SettingSchema.js"
import { PolicySettings } from "./policy/PolicySettings.js"

/**
 * All settings of Errata, each with its default, bounds and description. Config files and the environment contain
 * them as text. Programs pass values: durations as `Duration`, sizes in bytes.
 */
export const ErrataSettings = Schema.Struct({
  serviceName: word({
    default: "service",
    description:
      "Name in the API path `/api/{serviceName}/v1` and in the OAuth scopes `{serviceName}.read` and `{serviceName}.write`. Set it before clients connect: a change breaks their addresses.",
  }),
  ingestLimits: IngestLimits,
  intake: Schema.Struct({
    maxWaitingBytes: bytes({
      default: "32 MiB",
      min: "1 MiB",
      max: "1 GiB",
      description:
        "Maximum bytes of payloads that wait in memory for a write. Further requests get 503. Raise it if bursts of large events get 503.",
    }),
    /** Maximum number of payloads in one write to the queue. */
    batchPayloads: constant(256),
    /** Maximum bytes of payloads in one write to the queue. A larger payload is written alone. */
    batchBytes: constant(4 * 1024 ** 2),
    /**
     * Minimum time between two writes under load, so that more payloads share a write. A single request does not
     * wait. Decision 018 has the figures.
     */
    gatheringTime: constant(Duration.millis(10)),
    /** Time that a node caches a project token. A deleted token is accepted for up to this time. */
    credentialTtl: constant(Duration.millis(500)),
  }),
  recorder: Schema.Struct({
    workers: count({
      default: "2",
      min: "1",
      max: "16",
      description:
        "Number of concurrent recorders per node. The first recorder works alone, unless more than one batch waits or it is delayed. Raise it on a node with more than two processors.",
    }),
    batchBytes: bytes({
      default: "4 MiB",
      min: "64 KiB",
      max: "64 MiB",
      description:
        "Maximum bytes of payloads that one transaction records. Lower it on a node with little memory.",
    }),
    eventPatience: duration({
      default: "2 minutes",
      min: "0 millis",
      max: "1 day",
      description:
        "Time that user feedback and attachments wait for their event. Raise it for SDKs that send events late.",
    }),
    /** Maximum number of payloads that one transaction records. */
    batchPayloads: constant(1000),
    /** Lease of a batch. After a node is killed, its batches wait this long for another node. */
    leaseDuration: constant(Duration.seconds(5)),
    /** Pause after a batch that was not full, so that the next transaction records more payloads. */
    gatheringTime: constant(Duration.millis(50)),
    /** Interval at which a worker checks for payloads that other nodes accepted. */
    pollInterval: constant(Duration.millis(500)),
    /** Maximum number of expired leases per batch. After that, the payloads of the batch are recorded one by one. */
    maxAttempts: constant(3),
  }),
  deadLetters: Schema.Struct({
    payloads: count({
      default: "1000",
      min: "1",
      max: "1000000",
      description:
        "Maximum number of dead letters of a project. If there are more, the oldest are deleted. Raise it to keep more of them for a retry.",
    }),
    bytes: bytes({
      default: "64 MiB",
      min: "1 MiB",
      max: "64 GiB",
      description:
        "Maximum bytes of the dead letters of a project. If there are more, the oldest are deleted. Raise it if the payloads are large and the disk has space for them.",
    }),
    maxAge: duration({
      default: "90 days",
      min: "1 minute",
      max: "3650 days",
      description:
        "Time after which a dead letter is deleted. Lower it if personal data must be deleted earlier.",
    }),
  }),
  backgroundInterval: duration({
    default: "30 seconds",
    min: "1 second",
    max: "1 hour",
    description:
      "Interval at which expired mutes are cleared, alert rules are measured, and deleted projects and expired data are purged: sessions, tokens, deliveries, uploads, dead letters. Lower it if alerts must arrive sooner. Raise it to send fewer queries while the instance is idle.",
  }),
  /** Lease of a background job. After a node is killed, its jobs wait this long for another node. */
  backgroundLease: constant(Duration.seconds(30)),
  archiveAfterWeeks: count({
    default: "0",
    min: "0",
    max: "520",
    description:
      "Number of finished weeks whose report bodies stay in the database. Bodies of older weeks move to the store `blobs`, which must not be the database. With 0 all bodies stay in the database. Set it if the database outgrows its disk.",
  }),
  sourcemaps: Schema.Struct({
    cacheBytes: bytes({
      default: "64 MiB",
      min: "1 MiB",
      max: "64 GiB",
      description:
        "Memory for parsed source maps, in each thread that maps frames. Raise it if your source maps do not fit and mapping is slow.",
    }),
    patience: duration({
      default: "30 seconds",
      min: "0 millis",
      max: "10 minutes",
      description:
        "Time that an event waits in the queue for a source map to be parsed. After that, Errata records the event with its minified frames and maps it later. Lower it if events must be readable sooner.",
    }),
    blobTimeout: duration({
      default: "2 seconds",
      min: "100 millis",
      max: "1 minute",
      description: "Time limit for reading an uploaded file from its store. Raise it for a slow S3 store.",
    }),
    concurrency: count({
      default: "4",
      min: "1",
      max: "100",
      description:
        "Maximum number of recorded reports that a node maps at the same time. Raise it on a node with many processors.",
    }),
    /**
     * Maximum number of scripts per report whose frames are mapped. A report with more is `failed` with
     * `limit_exceeded`, and keeps the mapped frames.
     */
    maxScripts: constant(100),
    /**
     * Time limit for parsing a source map or a source. The thread is then terminated, and the file is not parsed
     * again.
     */
    maxReading: constant(Duration.seconds(10)),
    /** Time that a node caches lookups of uploaded files, including files that do not exist. */
    lookupLife: constant(Duration.seconds(2)),
    /** Lease of a report while a node maps it. After a node is killed, its reports wait this long for another node. */
    leaseDuration: constant(Duration.seconds(10)),
    /** Interval at which a worker checks for reports to map. */
    pollInterval: constant(Duration.seconds(1)),
    /** Maximum number of recorded reports of one project that all nodes map at the same time. */
    perProject: constant(2),
    /** Maximum number of expired leases per report. After that, the mapping of the report is `failed`. */
    maxLeases: constant(4),
    /** Maximum number of reports that one upload maps. */
    requeueLimit: constant(5000),
    /** Maximum age of reports that a later upload maps. */
    requeueAge: constant(Duration.days(7)),
  }),
  hostedMaps: Schema.Struct({
    timeout: duration({
      default: "10 seconds",
      min: "100 millis",
      max: "5 minutes",
      description:
        "Time limit for fetching a script or a map, including redirects. Raise it if large maps come from a slow server.",
    }),
    maxMapBytes: bytes({
      default: "64 MiB",
      min: "1 KiB",
      max: "256 MiB",
      description:
        "Maximum decoded size of a hosted source map. Raise it if reports fail with `source_map_too_large`. Each of up to four concurrent fetches takes up to twice this memory.",
    }),
    maxCacheBytes: bytes({
      default: "256 MiB",
      min: "1 MiB",
      max: "1 TiB",
      description:
        "Maximum uncompressed bytes of cached maps per project. The oldest are deleted first. Raise it for large applications.",
    }),
    keepMissing: duration({
      default: "10 minutes",
      min: "1 second",
      max: "1 day",
      description:
        "Time that a failed fetch is cached. Lower it if deployments publish maps after their scripts.",
    }),
    /**
     * Maximum number of hosted source maps that a node fetches at the same time. Each takes up to twice `maxMapBytes`
     * of memory.
     */
    concurrency: constant(4),
    /**
     * Maximum number of hosted source maps of one project that a node fetches at the same time. Keep it below
     * `concurrency`, so that a slow server of one project does not block the others.
     */
    perProject: constant(2),
    /** Time limit until the response begins. */
    headersTimeout: constant(Duration.seconds(5)),
    /** Maximum decoded size of a script. Only its last 64 KiB, which name the map, are kept in memory. */
    maxScriptBytes: constant(32 * 1024 ** 2),
    /** Time that a fetched map is cached. */
    keepMaps: constant(Duration.days(1)),
  }),
  webhooks: Schema.Struct({
    concurrency: count({
      default: "200",
      min: "1",
      max: "10000",
      description:
        "Maximum number of deliveries that a node attempts at the same time. Raise it for thousands of webhooks.",
    }),
    attemptTimeout: duration({
      default: "10 seconds",
      min: "100 millis",
      max: "1 minute",
      description: "Time limit of an attempt, from name lookup to response. Raise it for slow receivers.",
    }),
    maxAttempts: count({
      default: "10",
      min: "1",
      max: "100",
      description:
        "Number of attempts, after which a delivery has failed permanently. Raise it for receivers that are down for more than twelve hours.",
    }),
    keepDeliveries: duration({
      default: "30 days",
      min: "1 minute",
      max: "3650 days",
      description:
        "Time after which finished deliveries are deleted. Lower it if deliveries take too much disk space.",
    }),
    /**
     * Maximum number of concurrent deliveries to one webhook, per node. A new webhook starts with two; one that fails
     * or responds slowly gets one.
     */
    perReceiver: constant(20),
    /** Time by which the lease of a delivery outlasts `attemptTimeout`. Otherwise another node would send it again. */
    leaseMargin: constant(Duration.seconds(5)),
    /** Interval at which a worker checks for events of other nodes and for retries. */
    pollInterval: constant(Duration.millis(500)),
    /** Time that a stopping node waits for its attempts. Then it returns the deliveries to the queue. */
    stopTimeout: constant(Duration.seconds(3)),
  }),
  artifacts: ArtifactLimits,
  allowPrivateAddresses: flag({
    default: false,
    description:
      "Allows webhooks and other outgoing requests to loopback, private and other non-public addresses. Set it if your webhooks are on an internal network.",
  }),
  notifications: Schema.Struct({
    maxPerHour: count({
      default: "60",
      min: "1",
      max: "100000",
      description:
        "Maximum number of notifications of one project in an hour. At the end of the hour, a summary lists the others. Webhooks are not counted. Raise it if a project has many different errors.",
    }),
    /** Time after which a target whose messages all fail is disabled. */
    disableAfter: constant(Duration.days(3)),
    /** Maximum number of targets of a project, besides webhooks. */
    maxTargets: constant(50),
  }),
  policies: PolicySettings,
  maxPendingIngestBytes: bytes({
    default: "512 MiB",
    min: "1 MiB",
    max: "1 TiB",
    description:
      "Maximum bytes in the queue. Policies cannot turn this limit off. Further events get 429. Raise it if bursts get 429 and the disk has room.",
  }),
  /** Maximum number of origins that a project may authorize for hosted source maps. */
  maxSourcemapOrigins: constant(10),
})
export type ErrataSettings = typeof ErrataSettings.Type

/** Every setting with its default. */
export const defaultSettings: ErrataSettings = settingsFrom(ErrataSettings, new Map())

/** The settings in force. The defaults apply if none are provided. */
export const ErrataConfig = Context.Reference("@errata/core/ErrataConfig", {
  defaultValue: () => defaultSettings,
})
