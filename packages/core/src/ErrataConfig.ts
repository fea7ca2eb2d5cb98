import { Context, Schema } from "effect"
import { ArtifactLimits } from "./config/ArtifactLimits.js"
import { IngestLimits } from "./config/IngestLimits.js"
import { settingsFrom } from "./config/SettingList.js"
import { bytes, count, duration, flag, word } from "./config/SettingSchema.js"
import { PolicySettings } from "./policy/PolicySettings.js"

/**
 * Everything about Errata that can be set. Each setting has its default, its bounds and what it is for; files and the
 * environment write it as text, and a program gives it as a value: durations as `Duration`, sizes in bytes.
 */
export const ErrataSettings = Schema.Struct({
  serviceName: word({
    default: "service",
    description:
      "Name in the API path `/api/{serviceName}/v1` and in the OAuth scopes `{serviceName}.read` and `{serviceName}.write`. Set it before clients connect: a change breaks their addresses.",
  }),
  ingestLimits: IngestLimits,
  intake: Schema.Struct({
    batchPayloads: count({
      default: "256",
      min: "1",
      max: "1000",
      description: "Maximum number of payloads in one write to the queue.",
    }),
    batchBytes: bytes({
      default: "4 MiB",
      min: "64 KiB",
      max: "64 MiB",
      description: "Maximum bytes of payloads in one write to the queue. A larger payload is written alone.",
    }),
    maxWaitingBytes: bytes({
      default: "32 MiB",
      min: "1 MiB",
      max: "1 GiB",
      description:
        "Maximum bytes of payloads that wait in memory for a write. Further requests get 503. Raise it if bursts of large events get 503.",
    }),
    gatheringTime: duration({
      default: "4 millis",
      min: "0 millis",
      max: "1 second",
      description:
        "Minimum time between two writes under load, so that more payloads share a write. A single request does not wait.",
    }),
    credentialTtl: duration({
      default: "500 millis",
      min: "1 milli",
      max: "1 minute",
      description:
        "Time that a node caches a project token. A deleted token is accepted for up to this time.",
    }),
  }),
  recorder: Schema.Struct({
    workers: count({
      default: "2",
      min: "1",
      max: "16",
      description:
        "Number of concurrent recorders per node. The first recorder works alone, unless more than one batch waits or it is delayed.",
    }),
    batchPayloads: count({
      default: "1000",
      min: "1",
      max: "5000",
      description: "Maximum number of payloads that one transaction records.",
    }),
    batchBytes: bytes({
      default: "4 MiB",
      min: "64 KiB",
      max: "64 MiB",
      description:
        "Maximum bytes of payloads that one transaction records. Lower it on a node with little memory.",
    }),
    leaseDuration: duration({
      default: "5 seconds",
      min: "1 second",
      max: "1 hour",
      description: "Lease of a batch. After a node is killed, its batches wait this long for another node.",
    }),
    gatheringTime: duration({
      default: "50 millis",
      min: "0 millis",
      max: "10 seconds",
      description:
        "Pause after a batch that was not full, so that the next transaction records more payloads. Lower it if events must be readable sooner.",
    }),
    pollInterval: duration({
      default: "500 millis",
      min: "10 millis",
      max: "1 minute",
      description: "Interval at which a worker checks for payloads that other nodes accepted.",
    }),
    maxAttempts: count({
      default: "3",
      min: "1",
      max: "100",
      description:
        "Maximum number of expired leases per batch. After that, the payloads of the batch are recorded one by one.",
    }),
    maxLoneAttempts: count({
      default: "7",
      min: "1",
      max: "100",
      description: "Number of attempts to record a payload alone. After that it becomes a dead letter.",
    }),
    suspectPatience: Schema.Struct({
      first: duration({
        default: "5 seconds",
        min: "10 millis",
        max: "1 hour",
        description:
          "Pause before the second attempt to record a payload alone. Each further pause is four times as long.",
      }),
      longest: duration({
        default: "1 hour",
        min: "10 millis",
        max: "7 days",
        description: "Longest pause between attempts to record a payload alone.",
      }),
    }),
    eventPatience: duration({
      default: "2 minutes",
      min: "0 millis",
      max: "1 day",
      description: "Time that user feedback and attachments wait for their event.",
    }),
  }),
  deadLetters: Schema.Struct({
    payloads: count({
      default: "1000",
      min: "1",
      max: "1000000",
      description: "Maximum number of dead letters of a project. If there are more, the oldest are deleted.",
    }),
    bytes: bytes({
      default: "64 MiB",
      min: "1 MiB",
      max: "64 GiB",
      description:
        "Maximum bytes of the dead letters of a project. If there are more, the oldest are deleted.",
    }),
    maxAge: duration({
      default: "90 days",
      min: "1 minute",
      max: "3650 days",
      description: "Time after which a dead letter is deleted.",
    }),
  }),
  sweepInterval: duration({
    default: "30 seconds",
    min: "1 second",
    max: "1 hour",
    description: "Interval at which expired mutes are cleared.",
  }),
  backgroundLease: duration({
    default: "30 seconds",
    min: "1 second",
    max: "1 hour",
    description:
      "Lease of a background job. After a node is killed, its jobs wait this long for another node.",
  }),
  purgeInterval: duration({
    default: "30 seconds",
    min: "1 second",
    max: "1 hour",
    description:
      "Interval at which deleted projects and expired data are purged: sessions, tokens, deliveries, uploads, dead letters.",
  }),
  maxSourcemapOrigins: count({
    default: "10",
    min: "0",
    max: "1000",
    description: "Maximum number of origins that a project may authorize for hosted source maps.",
  }),
  sourcemaps: Schema.Struct({
    cacheBytes: bytes({
      default: "64 MiB",
      min: "1 MiB",
      max: "64 GiB",
      description:
        "Memory for parsed source maps, in each thread that maps frames. Raise it if your source maps do not fit and mapping is slow.",
    }),
    maxScripts: count({
      default: "100",
      min: "1",
      max: "1000",
      description:
        "Maximum number of scripts per report whose frames are mapped. A report with more is `failed` with `limit_exceeded`, and keeps the mapped frames.",
    }),
    patience: duration({
      default: "30 seconds",
      min: "0 millis",
      max: "10 minutes",
      description:
        "Time that an event waits in the queue for a source map to be parsed. After that, Errata records the event with its minified frames and maps it later.",
    }),
    maxReading: duration({
      default: "10 seconds",
      min: "100 millis",
      max: "10 minutes",
      description:
        "Time limit for parsing a source map or a source. The thread is then terminated, and the file is not parsed again.",
    }),
    lookupLife: duration({
      default: "2 seconds",
      min: "0 millis",
      max: "1 minute",
      description: "Time that a node caches lookups of uploaded files, including files that do not exist.",
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
      description: "Maximum number of recorded reports that a node maps at the same time.",
    }),
    perProject: count({
      default: "2",
      min: "1",
      max: "100",
      description: "Maximum number of recorded reports of one project that all nodes map at the same time.",
    }),
    leaseDuration: duration({
      default: "10 seconds",
      min: "1 second",
      max: "1 hour",
      description:
        "Lease of a report while a node maps it. After a node is killed, its reports wait this long for another node.",
    }),
    maxLeases: count({
      default: "4",
      min: "1",
      max: "100",
      description:
        "Maximum number of expired leases per report. After that, the mapping of the report is `failed`.",
    }),
    pollInterval: duration({
      default: "1 second",
      min: "10 millis",
      max: "1 minute",
      description: "Interval at which a worker checks for reports to map.",
    }),
    requeueAge: duration({
      default: "7 days",
      min: "1 minute",
      max: "3650 days",
      description: "Maximum age of reports that a later upload maps.",
    }),
    requeueLimit: count({
      default: "5000",
      min: "1",
      max: "1000000",
      description: "Maximum number of reports that one upload maps.",
    }),
  }),
  hostedMaps: Schema.Struct({
    concurrency: count({
      default: "4",
      min: "1",
      max: "100",
      description:
        "Maximum number of hosted source maps that a node fetches at the same time. Each takes up to twice `maxMapBytes` of memory.",
    }),
    perProject: count({
      default: "2",
      min: "1",
      max: "100",
      description:
        "Maximum number of hosted source maps of one project that a node fetches at the same time. Keep it below `concurrency`, so that a slow server of one project does not block the others.",
    }),
    timeout: duration({
      default: "10 seconds",
      min: "100 millis",
      max: "5 minutes",
      description: "Time limit for fetching a script or a map, including redirects.",
    }),
    headersTimeout: duration({
      default: "5 seconds",
      min: "100 millis",
      max: "5 minutes",
      description: "Time limit until the response begins.",
    }),
    maxScriptBytes: bytes({
      default: "32 MiB",
      min: "1 KiB",
      max: "1 GiB",
      description:
        "Maximum decoded size of a script. Only its last 64 KiB, which name the map, are kept in memory.",
    }),
    maxMapBytes: bytes({
      default: "64 MiB",
      min: "1 KiB",
      max: "256 MiB",
      description: "Maximum decoded size of a hosted source map.",
    }),
    maxCacheBytes: bytes({
      default: "256 MiB",
      min: "1 MiB",
      max: "1 TiB",
      description: "Maximum uncompressed bytes of cached maps per project. The oldest are deleted first.",
    }),
    keepMaps: duration({
      default: "1 day",
      min: "1 second",
      max: "30 days",
      description: "Time that a fetched map is cached.",
    }),
    keepMissing: duration({
      default: "10 minutes",
      min: "1 second",
      max: "1 day",
      description:
        "Time that a failed fetch is cached. Lower it if deployments publish maps after their scripts.",
    }),
  }),
  webhooks: Schema.Struct({
    concurrency: count({
      default: "200",
      min: "1",
      max: "10000",
      description: "Maximum number of deliveries that a node attempts at the same time.",
    }),
    perReceiver: count({
      default: "20",
      min: "1",
      max: "1000",
      description:
        "Maximum number of concurrent deliveries to one webhook, per node. A new webhook starts with two; one that fails or responds slowly gets one.",
    }),
    attemptTimeout: duration({
      default: "10 seconds",
      min: "100 millis",
      max: "1 minute",
      description: "Time limit of an attempt, from name lookup to response.",
    }),
    leaseDuration: duration({
      default: "15 seconds",
      min: "1 second",
      max: "10 minutes",
      description:
        "Lease of a delivery. After a node is killed, its deliveries wait this long for another node.",
    }),
    pollInterval: duration({
      default: "500 millis",
      min: "10 millis",
      max: "1 minute",
      description: "Interval at which a worker checks for events of other nodes and for retries.",
    }),
    stopTimeout: duration({
      default: "3 seconds",
      min: "0 millis",
      max: "1 minute",
      description:
        "Time that a stopping node waits for its attempts. Then it returns the deliveries to the queue.",
    }),
    maxAttempts: count({
      default: "10",
      min: "1",
      max: "100",
      description: "Number of attempts, after which a delivery has failed permanently.",
    }),
    firstPause: duration({
      default: "10 seconds",
      min: "10 millis",
      max: "1 hour",
      description: "Pause before the second attempt. Each further pause is three times as long.",
    }),
    longestPause: duration({
      default: "6 hours",
      min: "10 millis",
      max: "7 days",
      description: "Longest pause between attempts.",
    }),
    keepDeliveries: duration({
      default: "30 days",
      min: "1 minute",
      max: "3650 days",
      description: "Time after which finished deliveries are deleted.",
    }),
  }),
  artifacts: ArtifactLimits,
  allowPrivateAddresses: flag({
    default: false,
    description:
      "Allows webhooks and other outgoing requests to loopback, private and other non-public addresses. Set it if your webhooks are on an internal network.",
  }),
  policies: PolicySettings,
  maxPendingIngestBytes: bytes({
    default: "512 MiB",
    min: "1 MiB",
    max: "1 TiB",
    description: "Maximum bytes in the queue. Policies cannot turn this limit off. Further events get 429.",
  }),
})
export type ErrataSettings = typeof ErrataSettings.Type

export const defaultSettings: ErrataSettings = settingsFrom(ErrataSettings, new Map())

/** The settings in force; the defaults where nobody provides others. */
export const ErrataConfig = Context.Reference("@errata/core/ErrataConfig", {
  defaultValue: () => defaultSettings,
})
