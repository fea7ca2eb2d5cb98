/** Policies of the instance, which admins set, through the core's services. */
import {
  AccessPolicy,
  Actor,
  CurrentActor,
  defaultSettings,
  ErrataConfig,
  type ErrorRetention,
  type IngestProtection,
  type InstancePolicies,
  Policies,
  type PolicyName,
} from "@errata/core"
import { defaultPolicies } from "@errata/core/internal"
import { IngestStatistics, PendingPayloads, PolicyStore } from "@errata/core/ports"
import { DateTime, Effect, Layer, Result } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { emptyQueue } from "./internal/Queue.js"

const services = Layer.provideMerge(Policies.Default, AccessPolicy.layer)

/** The service with a permission check before each call, as actors use it. */
const called = (policies: Policies["Service"]) => {
  const read = AccessPolicy.instance("policies.read")
  return {
    inForce: policies.inForce,
    get: <Name extends PolicyName>(name: Name) =>
      Effect.flatMap(read, (allowed) => policies.get(allowed, name)),
    update: <Name extends PolicyName>(name: Name, changes: Partial<InstancePolicies[Name]>) =>
      Effect.flatMap(AccessPolicy.instance("policies.administer"), (allowed) =>
        policies.update(allowed, name, changes),
      ),
    ingestProtectionStatus: Effect.flatMap(read, policies.ingestProtectionStatus),
  }
}

const as =
  (actor: Actor) =>
  <A, E, R>(use: (policies: ReturnType<typeof called>) => Effect.Effect<A, E, R>) =>
    Effect.flatMap(Policies, (policies) => use(called(policies))).pipe(
      Effect.provideService(CurrentActor, actor),
      Effect.provide(services),
    )

const asSystem = as(Actor.System())

/** Restores the defaults of a policy. */
const reset = (name: PolicyName) =>
  Effect.flatMap(PolicyStore, (policies) => policies.save(name, {}, Factory.noon))

/** The validation messages by field, or the tag of another failure. */
const refusal = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.result(effect), (result) =>
    Result.isSuccess(result)
      ? "accepted"
      : "errors" in result.failure
        ? (result.failure.errors as Readonly<Record<string, ReadonlyArray<string>>>)
        : result.failure._tag,
  )

export const policiesSuite: ContractSuite = {
  name: "Policies",
  cases: [
    contractCase(
      "have configured values until an admin changes them",
      Effect.gen(function* () {
        for (const name of Object.keys(defaultPolicies) as ReadonlyArray<PolicyName>) {
          yield* reset(name)
          expect(yield* asSystem((policies) => policies.get(name))).toEqual(defaultPolicies[name])
        }
        const hostedSourcemaps = { enabled: false }
        const configured = { ...defaultSettings, policies: { ...defaultPolicies, hostedSourcemaps } }
        const found = asSystem((policies) => policies.get("hostedSourcemaps"))
        expect(yield* Effect.provideService(found, ErrataConfig, configured)).toEqual(hostedSourcemaps)
      }),
    ),

    contractCase(
      "change only the given fields, on every node",
      Effect.gen(function* () {
        yield* reset("errorRetention")
        const changes = { enabled: true, retentionPeriodDays: 30, timePurgeType: "full" } as const
        const expected = { ...defaultPolicies.errorRetention, ...changes }
        expect(yield* asSystem((policies) => policies.update("errorRetention", changes))).toEqual(expected)
        const found = asSystem((policies) => policies.get("errorRetention"))
        expect([yield* found, yield* onSecondNode(found)]).toEqual([expected, expected])
        expect(yield* asSystem((policies) => policies.update("errorRetention", {}))).toEqual(expected)
        expect(yield* asSystem((policies) => policies.inForce("errorRetention"))).toEqual(expected)
        yield* reset("errorRetention")
      }),
    ),

    contractCase(
      "keep the values from their last change, despite later configuration",
      Effect.gen(function* () {
        yield* reset("artifactRetention")
        const update = asSystem((policies) => policies.update("artifactRetention", { enabled: true }))
        const expected = yield* update
        const artifactRetention = { ...defaultPolicies.artifactRetention, retentionPeriodDays: 7 }
        const configured = { ...defaultSettings, policies: { ...defaultPolicies, artifactRetention } }
        const found = asSystem((policies) => policies.get("artifactRetention"))
        expect(yield* Effect.provideService(found, ErrataConfig, configured)).toEqual(expected)
        yield* reset("artifactRetention")
      }),
    ),

    contractCase(
      "stay unchanged if one of the new values is out of range",
      Effect.gen(function* () {
        yield* reset("ingestProtection")
        const update = asSystem((policies) =>
          policies.update("ingestProtection", {
            enabled: false,
            globalRateLimitPerMinute: 0,
            maxPendingIngestPayloads: 5,
            minimumFreeDiskSpaceMb: 10_000_001,
          }),
        )
        expect(yield* refusal(update)).toEqual({
          globalRateLimitPerMinute: ["must be between 1 and 10000000"],
          minimumFreeDiskSpaceMb: ["must be between 0 and 10000000"],
        })
        const found = yield* asSystem((policies) => policies.get("ingestProtection"))
        expect(found).toEqual(defaultPolicies.ingestProtection)
      }),
    ),

    contractCase(
      "are checked after merging the changes: a new type can make the stored value invalid",
      Effect.gen(function* () {
        yield* reset("errorRetention")
        const update = (changes: Partial<ErrorRetention>) =>
          asSystem((policies) => policies.update("errorRetention", changes))
        expect(yield* refusal(update({ diskLimitValue: 500 }))).toEqual({
          diskLimitValue: ["must be between 1 and 95 where the type is percentage"],
        })
        expect(yield* update({ diskLimitType: "absolute", diskLimitValue: 500 })).toMatchObject({
          diskLimitType: "absolute",
          diskLimitValue: 500,
        })
        expect(yield* refusal(update({ diskLimitType: "percentage" }))).toEqual({
          diskLimitValue: ["must be between 1 and 95 where the type is percentage"],
        })
        expect(yield* asSystem((policies) => policies.get("errorRetention"))).toMatchObject({
          diskLimitType: "absolute",
          diskLimitValue: 500,
        })
        yield* reset("errorRetention")
      }),
    ),

    contractCase(
      "lose no change when two nodes change them concurrently",
      Effect.gen(function* () {
        yield* reset("ingestProtection")
        const update = (changes: Partial<IngestProtection>) =>
          asSystem((policies) => policies.update("ingestProtection", changes))
        yield* Effect.all(
          [
            update({ enabled: false }),
            onSecondNode(update({ globalRateLimitPerMinute: 7 })),
            update({ diskProtectionEnabled: false }),
            onSecondNode(update({ maxPendingIngestPayloads: 9 })),
          ],
          { concurrency: "unbounded" },
        )
        expect(yield* asSystem((policies) => policies.get("ingestProtection"))).toEqual({
          ...defaultPolicies.ingestProtection,
          enabled: false,
          globalRateLimitPerMinute: 7,
          diskProtectionEnabled: false,
          maxPendingIngestPayloads: 9,
        })
        yield* reset("ingestProtection")
      }),
    ),

    contractCase(
      "can be read and changed by admins only",
      Effect.gen(function* () {
        const member = as(Actor.Person({ user: yield* Given.user() }))
        const admin = as(Actor.Person({ user: yield* Given.user({ role: "admin" }) }))
        const name = "hostedSourcemaps"
        expect(yield* refusal(member((policies) => policies.get(name)))).toBe("AccessDenied")
        expect(yield* refusal(member((policies) => policies.update(name, { enabled: false })))).toBe(
          "AccessDenied",
        )
        expect(yield* refusal(member((policies) => policies.ingestProtectionStatus))).toBe("AccessDenied")
        expect(yield* refusal(admin((policies) => policies.get(name)))).toBe("accepted")
        expect(yield* refusal(admin((policies) => policies.update(name, {})))).toBe("accepted")
        expect(yield* refusal(admin((policies) => policies.ingestProtectionStatus))).toBe("accepted")
      }),
    ),

    contractCase(
      "of the intake include the queue size, and rejections of the last hour",
      Effect.gen(function* () {
        const pending = yield* PendingPayloads
        const statistics = yield* IngestStatistics
        const status = asSystem((policies) => policies.ingestProtectionStatus)
        const now = yield* DateTime.now
        const before = yield* status
        const body = new Uint8Array(1_234)
        yield* pending.append([Factory.payload((yield* Given.project()).id, { body })])
        yield* statistics.add({ rejectedByRate: 1_000 }, DateTime.subtract(now, { minutes: 62 }))
        yield* statistics.add(
          { rejectedByDisk: 1, rejectedByQueue: 2 },
          DateTime.subtract(now, { minutes: 59 }),
        )
        yield* statistics.add({ truncated: 5 }, now)
        expect(yield* status).toEqual({
          pendingIngestBytes: before.pendingIngestBytes + 1_234,
          maxPendingIngestBytes: 536_870_912,
          recentRejections: before.recentRejections + 3,
          recentRejectionsBy: {
            disk: before.recentRejectionsBy.disk + 1,
            queue: before.recentRejectionsBy.queue + 2,
            rate: before.recentRejectionsBy.rate,
          },
          recentTruncations: before.recentTruncations + 5,
        })
        yield* emptyQueue
      }),
    ),
  ],
}
