import { Context, DateTime, Duration, Effect, Layer } from "effect"
import type { AuthorizedInstance } from "../access/AccessPolicy.js"
import { ErrataConfig } from "../ErrataConfig.js"
import { IngestStatistics } from "../ingest/IngestStatistics.js"
import { IntakeGuard } from "../ingest/IntakeGuard.js"
import type { IntakePauseReason } from "../ingest/IntakePaused.js"
import { PendingPayloads } from "../ingest/PendingPayloads.js"
import * as Transactions from "../storage/Transactions.js"
import * as Policy from "./Policy.js"
import * as PolicyInForce from "./PolicyInForce.js"
import { PolicyStore } from "./PolicyStore.js"

/** The state of ingest protection. The counts cover the last hour. */
export interface IngestProtectionStatus {
  /** Decoded bytes in the queue. */
  readonly pendingIngestBytes: number
  readonly maxPendingIngestBytes: number
  readonly recentRejections: number
  readonly recentRejectionsBy: { readonly [Reason in IntakePauseReason]: number }
  readonly recentTruncations: number
}

/** Reads and changes the policies of the instance. */
export class Policies extends Context.Service<Policies>()("@errata/core/policy/Policies", {
  make: Effect.gen(function* () {
    const { maxPendingIngestBytes, policies: defaults } = yield* ErrataConfig
    const transaction = yield* Transactions.make
    const store = yield* PolicyStore
    const pending = yield* PendingPayloads
    const statistics = yield* IngestStatistics
    const guard = yield* IntakeGuard

    /** Returns a policy for internal use, without an access check. */
    const inForce = <Name extends Policy.PolicyName>(name: Name) =>
      Effect.map(store.find(name), (stored) => PolicyInForce.inForce(defaults, name, stored)).pipe(
        Effect.withSpan("Policies.inForce"),
      )

    const get = <Name extends Policy.PolicyName>(_allowed: AuthorizedInstance<"policies.read">, name: Name) =>
      inForce(name).pipe(Effect.withSpan("Policies.get"))

    /** Changes some settings of a policy. All settings are validated together; if one is invalid, none changes. */
    const update = <Name extends Policy.PolicyName>(
      _allowed: AuthorizedInstance<"policies.administer">,
      name: Name,
      changes: { readonly [Key in keyof Policy.InstancePolicies[Name]]?: Policy.InstancePolicies[Name][Key] },
    ) =>
      transaction(
        Effect.gen(function* () {
          const current = PolicyInForce.inForce(defaults, name, yield* store.lock(name))
          const settings = yield* Effect.fromResult(Policy.validate(name, { ...current, ...changes }))
          yield* store.save(name, { ...settings }, yield* DateTime.now)
          return settings
        }),
      ).pipe(
        Effect.tap(() => (name === "ingestProtection" ? guard.policyChanged : Effect.void)),
        Effect.withSpan("Policies.update"),
      )

    /** For users who may read the policies, and in the response to a change. */
    const ingestProtectionStatus = Effect.fn("Policies.ingestProtectionStatus")(function* (
      _allowed: AuthorizedInstance<"policies.read"> | AuthorizedInstance<"policies.administer">,
    ) {
      // Includes rejections that this node has not written yet.
      yield* guard.flushRejections
      const { bytes } = yield* pending.size
      const recent = yield* statistics.recent(DateTime.subtractDuration(yield* DateTime.now, recentDuration))
      const { rejectedByDisk: disk, rejectedByQueue: queue, rejectedByRate: rate } = recent
      return {
        pendingIngestBytes: bytes,
        maxPendingIngestBytes,
        recentRejections: disk + queue + rate,
        recentRejectionsBy: { disk, queue, rate },
        recentTruncations: recent.truncated,
      } satisfies IngestProtectionStatus
    })

    return { inForce, get, update, ingestProtectionStatus }
  }),
}) {
  static readonly DefaultWithoutDependencies = Layer.effect(this, this.make)
  static readonly Default = this.DefaultWithoutDependencies.pipe(Layer.provide(IntakeGuard.Default))
}

// internal

const recentDuration = Duration.hours(1)
