import { Context, DateTime, Duration, Effect, Layer } from "effect"
import type { AuthorizedInstance } from "../access/AccessPolicy.js"
import { ErrataConfig } from "../ErrataConfig.js"
import { IngestStatistics } from "../ingest/IngestStatistics.js"
import { IntakeGuard } from "../ingest/IntakeGuard.js"
import { PendingPayloads } from "../ingest/PendingPayloads.js"
import * as Transactions from "../storage/Transactions.js"
import * as Policy from "./Policy.js"
import * as PolicyInForce from "./PolicyInForce.js"
import { PolicyStore } from "./PolicyStore.js"

/** What the protection of the intake looks at, and how often it had to act in the last hour. */
export interface IngestProtectionStatus {
  /** Decoded bytes waiting to be recorded. */
  readonly pendingIngestBytes: number
  readonly maxPendingIngestBytes: number
  readonly recentRejections: number
  readonly recentTruncations: number
}

/** The policies of the instance, for its admins. */
export class Policies extends Context.Service<Policies>()("@errata/core/policy/Policies", {
  make: Effect.gen(function* () {
    const { maxPendingIngestBytes, policies: defaults } = yield* ErrataConfig
    const transaction = yield* Transactions.make
    const store = yield* PolicyStore
    const pending = yield* PendingPayloads
    const statistics = yield* IngestStatistics
    const guard = yield* IntakeGuard

    /** A policy as it holds now, for Errata's own work. */
    const inForce = <Name extends Policy.PolicyName>(name: Name) =>
      Effect.map(store.find(name), (stored) => PolicyInForce.inForce(defaults, name, stored)).pipe(
        Effect.withSpan("Policies.inForce"),
      )

    const get = <Name extends Policy.PolicyName>(_allowed: AuthorizedInstance<"policies.read">, name: Name) =>
      inForce(name).pipe(Effect.withSpan("Policies.get"))

    /** Changes some settings of a policy. They are checked together with those that stay; one is wrong, none changes. */
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

    /** For who may read the policies, and for who changes one and is told what came of it. */
    const ingestProtectionStatus = Effect.fn("Policies.ingestProtectionStatus")(function* (
      _allowed: AuthorizedInstance<"policies.read"> | AuthorizedInstance<"policies.administer">,
    ) {
      // What this node has refused in this second, too.
      yield* guard.flushRejections
      const { bytes } = yield* pending.size
      const recent = yield* statistics.recent(DateTime.subtractDuration(yield* DateTime.now, recentDuration))
      return {
        pendingIngestBytes: bytes,
        maxPendingIngestBytes,
        recentRejections: recent.rejectedByDisk + recent.rejectedByQueue + recent.rejectedByRate,
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
