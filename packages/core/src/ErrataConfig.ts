import { Context, Duration } from "effect"
import { defaultIngestLimits, type IngestLimits } from "./ingest/IngestLimits.js"
import type { SetAsideBounds, SuspectPatience } from "./ingest/PendingPayloads.js"
import { defaultPolicies, type InstancePolicies } from "./policy/Policy.js"

/** Everything about Errata that can be set, each with its default. */
export interface ErrataSettings {
  /** The word in `/api/{serviceName}/v1` and in the scopes `{serviceName}.read` and `{serviceName}.write`. */
  readonly serviceName: string
  readonly ingestLimits: IngestLimits
  readonly intake: {
    /** Payloads and bytes that one write appends at most. */
    readonly batchPayloads: number
    readonly batchBytes: number
    /** Bytes of payloads that may wait in memory for a write; beyond them intake answers that it is unavailable. */
    readonly maxWaitingBytes: number
    /** How long a project's token is trusted without asking the storage again. */
    readonly credentialTtl: Duration.Duration
  }
  readonly recorder: {
    /** Workers of one node. One decodes while the other waits for the storage. */
    readonly workers: number
    /** Payloads and bytes that one transaction records at most. */
    readonly batchPayloads: number
    readonly batchBytes: number
    /** How long a node that was killed keeps its batches from the others: one that lives renews its leases. */
    readonly leaseDuration: Duration.Duration
    /** How often to look for work that another node has left. */
    readonly pollInterval: Duration.Duration
    /** The payloads of a batch that was leased more often than this without an end are tried one by one. */
    readonly maxAttempts: number
    /** How often a payload is tried by itself before it is set aside. */
    readonly maxLoneAttempts: number
    /** The time between such attempts. */
    readonly suspectPatience: SuspectPatience
    /** How long feedback and attachments wait for the event that they belong to. */
    readonly eventPatience: Duration.Duration
  }
  /** Payloads that cannot be recorded: how many one project may have, and how long they are kept. */
  readonly setAside: SetAsideBounds & { readonly maxAge: Duration.Duration }
  /** How often mutes that have run out are cleared. */
  readonly sweepInterval: Duration.Duration
  /** How often what deleted projects have left is purged. */
  readonly purgeInterval: Duration.Duration
  /** Origins that one project's hosted source maps may be fetched from. */
  readonly maxSourcemapOrigins: number
  /** What the policies of the instance say until an admin changes them. */
  readonly policies: InstancePolicies
  /** Bytes that may wait to be recorded, whatever the policies say. */
  readonly maxPendingIngestBytes: number
}

const MiB = 1024 * 1024

export const defaultSettings: ErrataSettings = {
  serviceName: "service",
  ingestLimits: defaultIngestLimits,
  intake: {
    batchPayloads: 256,
    batchBytes: 4 * MiB,
    maxWaitingBytes: 32 * MiB,
    credentialTtl: Duration.millis(500),
  },
  recorder: {
    workers: 2,
    batchPayloads: 1000,
    batchBytes: 4 * MiB,
    leaseDuration: Duration.seconds(5),
    pollInterval: Duration.millis(500),
    maxAttempts: 3,
    maxLoneAttempts: 7,
    suspectPatience: { first: Duration.seconds(5), longest: Duration.hours(1) },
    eventPatience: Duration.minutes(2),
  },
  setAside: { payloads: 1000, bytes: 64 * MiB, maxAge: Duration.days(90) },
  sweepInterval: Duration.seconds(30),
  purgeInterval: Duration.seconds(30),
  maxSourcemapOrigins: 10,
  policies: defaultPolicies,
  maxPendingIngestBytes: 512 * MiB,
}

/** The settings in force; the defaults where nobody provides others. */
export class ErrataConfig extends Context.Reference<ErrataConfig>()("@errata/core/ErrataConfig", {
  defaultValue: () => defaultSettings,
}) {}
