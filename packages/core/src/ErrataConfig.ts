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
      "The word in `/api/{serviceName}/v1` and in the scopes `{serviceName}.read` and `{serviceName}.write`.",
  }),
  ingestLimits: IngestLimits,
  intake: Schema.Struct({
    batchPayloads: count({
      default: "256",
      min: "1",
      max: "1000",
      description: "Requests whose payloads one write appends at most.",
    }),
    batchBytes: bytes({
      default: "4 MiB",
      min: "64 KiB",
      max: "64 MiB",
      description: "Payloads that one write appends at most; a larger one is written alone.",
    }),
    maxWaitingBytes: bytes({
      default: "32 MiB",
      min: "1 MiB",
      max: "1 GiB",
      description:
        "Payloads that may wait in memory for a write; beyond them intake answers that it is unavailable.",
    }),
    gatheringTime: duration({
      default: "4 millis",
      min: "0 millis",
      max: "1 second",
      description:
        "How long after another a write begins at the earliest, so that more payloads share it. A request that comes alone waits for nobody.",
    }),
    credentialTtl: duration({
      default: "500 millis",
      min: "1 milli",
      max: "1 minute",
      description: "How long a project's token is trusted without asking the storage again.",
    }),
  }),
  recorder: Schema.Struct({
    workers: count({
      default: "2",
      min: "1",
      max: "16",
      description:
        "Workers of one node. The first takes what there is; the others help it with what is more than one batch, or when it is held up.",
    }),
    batchPayloads: count({
      default: "1000",
      min: "1",
      max: "5000",
      description: "Payloads that one transaction records at most.",
    }),
    batchBytes: bytes({
      default: "4 MiB",
      min: "64 KiB",
      max: "64 MiB",
      description: "Bytes of payloads that one transaction records at most.",
    }),
    leaseDuration: duration({
      default: "5 seconds",
      min: "1 second",
      max: "1 hour",
      description:
        "How long a node that was killed keeps its batches from the others: one that lives renews its leases.",
    }),
    gatheringTime: duration({
      default: "50 millis",
      min: "0 millis",
      max: "10 seconds",
      description:
        "How long the first worker lets payloads come together after a batch that was not full. What one transaction costs, however little it records, is shared by more of them then.",
    }),
    pollInterval: duration({
      default: "500 millis",
      min: "10 millis",
      max: "1 minute",
      description: "How often to look for work that another node has left.",
    }),
    maxAttempts: count({
      default: "3",
      min: "1",
      max: "100",
      description:
        "The payloads of a batch that was leased more often than this without an end are tried one by one.",
    }),
    maxLoneAttempts: count({
      default: "7",
      min: "1",
      max: "100",
      description: "How often a payload is tried by itself before it is set aside.",
    }),
    suspectPatience: Schema.Struct({
      first: duration({
        default: "5 seconds",
        min: "10 millis",
        max: "1 hour",
        description: "The time between the first two of such attempts; each further one quadruples it.",
      }),
      longest: duration({
        default: "1 hour",
        min: "10 millis",
        max: "7 days",
        description: "The longest time between such attempts.",
      }),
    }),
    eventPatience: duration({
      default: "2 minutes",
      min: "0 millis",
      max: "1 day",
      description: "How long feedback and attachments wait for the event that they belong to.",
    }),
  }),
  setAside: Schema.Struct({
    payloads: count({
      default: "1000",
      min: "1",
      max: "1000000",
      description: "Payloads that cannot be recorded, which are kept of one project.",
    }),
    bytes: bytes({
      default: "64 MiB",
      min: "1 MiB",
      max: "64 GiB",
      description: "Bytes of such payloads, which are kept of one project.",
    }),
    maxAge: duration({
      default: "90 days",
      min: "1 minute",
      max: "3650 days",
      description: "How long such payloads are kept.",
    }),
  }),
  sweepInterval: duration({
    default: "30 seconds",
    min: "1 second",
    max: "1 hour",
    description: "How often mutes that have run out are cleared.",
  }),
  backgroundLease: duration({
    default: "30 seconds",
    min: "1 second",
    max: "1 hour",
    description:
      "How long a node that was killed keeps its background work from the others: one that lives renews its leases.",
  }),
  purgeInterval: duration({
    default: "30 seconds",
    min: "1 second",
    max: "1 hour",
    description: "How often what deleted projects have left is purged, and what was set aside too long ago.",
  }),
  maxSourcemapOrigins: count({
    default: "10",
    min: "0",
    max: "1000",
    description: "Origins that one project's hosted source maps may be fetched from.",
  }),
  sourcemaps: Schema.Struct({
    cacheBytes: bytes({
      default: "64 MiB",
      min: "1 MiB",
      max: "64 GiB",
      description: "Memory for source maps that were read, of each thread that maps frames.",
    }),
    maxScripts: count({
      default: "100",
      min: "1",
      max: "1000",
      description:
        "Scripts of one report whose frames are mapped from uploaded source maps. A report with more is `failed` with `limit_exceeded`, and keeps the frames that were mapped.",
    }),
    patience: duration({
      default: "30 seconds",
      min: "0 millis",
      max: "10 minutes",
      description:
        "How long an event waits in the queue for a source map that is not in memory yet. Then it is recorded with the frames that were sent, and its frames are mapped afterwards.",
    }),
    maxReading: duration({
      default: "10 seconds",
      min: "100 millis",
      max: "10 minutes",
      description:
        "How long one source map, or the text of one source, may be read. Its thread is ended then, and the file is not read again.",
    }),
    lookupLife: duration({
      default: "2 seconds",
      min: "0 millis",
      max: "1 minute",
      description:
        "How long a node believes what it has found out about uploaded files, also that there are none of a name.",
    }),
    blobTimeout: duration({
      default: "2 seconds",
      min: "100 millis",
      max: "1 minute",
      description: "How long the content of an uploaded file is waited for.",
    }),
    concurrency: count({
      default: "4",
      min: "1",
      max: "100",
      description:
        "Reports that one node maps at the same time, of those that were not mapped while recording.",
    }),
    perProject: count({
      default: "2",
      min: "1",
      max: "100",
      description: "As many of these are of one project, on all nodes together.",
    }),
    leaseDuration: duration({
      default: "10 seconds",
      min: "1 second",
      max: "1 hour",
      description:
        "How long a node that was killed keeps such a report from the others. A node that works renews it.",
    }),
    maxLeases: count({
      default: "4",
      min: "1",
      max: "100",
      description: "A report that as many nodes left without an end has failed.",
    }),
    pollInterval: duration({
      default: "1 second",
      min: "10 millis",
      max: "1 minute",
      description: "How often to look for reports whose frames are to be mapped.",
    }),
    requeueAge: duration({
      default: "7 days",
      min: "1 minute",
      max: "3650 days",
      description: "Reports that were recorded longer ago are not mapped by what is uploaded later.",
    }),
    requeueLimit: count({
      default: "5000",
      min: "1",
      max: "1000000",
      description: "Reports of one project that are mapped by what one upload has brought.",
    }),
  }),
  hostedMaps: Schema.Struct({
    concurrency: count({
      default: "4",
      min: "1",
      max: "100",
      description:
        "Hosted source maps that one node fetches at the same time. Each may take twice `maxMapBytes` of memory.",
    }),
    perProject: count({
      default: "2",
      min: "1",
      max: "100",
      description:
        "Hosted source maps of one project that one node fetches at the same time. Fewer than all leave room for others where a server is slow.",
    }),
    timeout: duration({
      default: "10 seconds",
      min: "100 millis",
      max: "5 minutes",
      description: "How long a script or a map may take, with all redirects to it.",
    }),
    headersTimeout: duration({
      default: "5 seconds",
      min: "100 millis",
      max: "5 minutes",
      description: "How long it may take until an answer begins.",
    }),
    maxScriptBytes: bytes({
      default: "32 MiB",
      min: "1 KiB",
      max: "1 GiB",
      description:
        "The largest script, decoded, at whose end is looked for its map. Only that end is kept in memory.",
    }),
    maxMapBytes: bytes({
      default: "64 MiB",
      min: "1 KiB",
      max: "256 MiB",
      description: "The largest hosted source map, decoded.",
    }),
    maxCacheBytes: bytes({
      default: "256 MiB",
      min: "1 MiB",
      max: "1 TiB",
      description:
        "Hosted source maps that are kept of one project, before they are compressed; the oldest go first.",
    }),
    keepMaps: duration({
      default: "1 day",
      min: "1 second",
      max: "30 days",
      description: "How long a hosted source map is kept before it is fetched again.",
    }),
    keepMissing: duration({
      default: "10 minutes",
      min: "1 second",
      max: "1 day",
      description: "How long it is remembered that there was none, and why.",
    }),
  }),
  webhooks: Schema.Struct({
    concurrency: count({
      default: "200",
      min: "1",
      max: "10000",
      description: "Deliveries that one node attempts at the same time.",
    }),
    perReceiver: count({
      default: "20",
      min: "1",
      max: "1000",
      description:
        "Deliveries to one webhook that one node attempts at the same time, once it is seen to answer quickly; before that two, and one while it does not answer.",
    }),
    attemptTimeout: duration({
      default: "10 seconds",
      min: "100 millis",
      max: "1 minute",
      description: "How long an attempt may take, from looking up the name to the answer.",
    }),
    leaseDuration: duration({
      default: "15 seconds",
      min: "1 second",
      max: "10 minutes",
      description:
        "How long a node that was killed keeps its deliveries from the others. Nothing is sent after it.",
    }),
    pollInterval: duration({
      default: "500 millis",
      min: "10 millis",
      max: "1 minute",
      description: "How often to look for what happened on other nodes, and for what is to be tried again.",
    }),
    stopTimeout: duration({
      default: "3 seconds",
      min: "0 millis",
      max: "1 minute",
      description: "How long a node that stops waits for attempts under way; the rest is given back.",
    }),
    maxAttempts: count({
      default: "10",
      min: "1",
      max: "100",
      description: "Attempts before a delivery is given up.",
    }),
    firstPause: duration({
      default: "10 seconds",
      min: "10 millis",
      max: "1 hour",
      description: "The time between the first two attempts; each further one triples it.",
    }),
    longestPause: duration({
      default: "6 hours",
      min: "10 millis",
      max: "7 days",
      description: "The longest time between attempts.",
    }),
    keepDeliveries: duration({
      default: "30 days",
      min: "1 minute",
      max: "3650 days",
      description: "How long deliveries are kept after they succeeded or were given up.",
    }),
  }),
  artifacts: ArtifactLimits,
  allowPrivateAddresses: flag({
    default: false,
    description:
      "Whether requests that Errata makes, such as webhooks, may go to loopback, private and other addresses that are not public.",
  }),
  policies: PolicySettings,
  maxPendingIngestBytes: bytes({
    default: "512 MiB",
    min: "1 MiB",
    max: "1 TiB",
    description: "Bytes that may wait to be recorded, whatever the policies say.",
  }),
})
export type ErrataSettings = typeof ErrataSettings.Type

export const defaultSettings: ErrataSettings = settingsFrom(ErrataSettings, new Map())

/** The settings in force; the defaults where nobody provides others. */
export class ErrataConfig extends Context.Reference<ErrataConfig>()("@errata/core/ErrataConfig", {
  defaultValue: () => defaultSettings,
}) {}
