import {
  ArtifactRetentionUpdate,
  artifactRetentionView,
  type CamelKeys,
  camelKeys,
  ErrorRetentionUpdate,
  errorRetentionView,
  HostedSourcemapsUpdate,
  hostedSourcemapsView,
  IngestProtectionUpdate,
  ingestProtectionView,
} from "@errata/api/internal"
import {
  AccessPolicy,
  type AuthorizedInstance,
  type IngestProtection,
  Policies,
  type PolicyName,
} from "@errata/core"
import { Effect, type Schema } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import type { BodyRequest } from "./BodyRequest.js"
import { toProblems } from "./Problems.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"policies">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const policies = yield* Policies

    /** Applies the changes in a body. `change` receives the core's names. */
    const update = <A extends object, I, B, E, R>(
      request: BodyRequest,
      schema: Schema.Codec<A, I>,
      change: (
        allowed: AuthorizedInstance<"policies.administer">,
        changes: CamelKeys<A>,
      ) => Effect.Effect<B, E, R>,
    ) =>
      AuthorizedBody.use(request, schema, access.instance("policies.administer"), (body, allowed) =>
        change(allowed, camelKeys(body)),
      )

    const get = <Name extends PolicyName>(name: Name) =>
      Effect.flatMap(access.instance("policies.read"), (allowed) => policies.get(allowed, name))

    const withStatus = (
      allowed: Parameters<Policies["Service"]["ingestProtectionStatus"]>[0],
      policy: IngestProtection,
    ) =>
      Effect.map(policies.ingestProtectionStatus(allowed), (status) => ingestProtectionView(policy, status))

    return handlers
      .handle("getIngestProtection", () =>
        Effect.gen(function* () {
          const allowed = yield* access.instance("policies.read")
          return yield* withStatus(allowed, yield* policies.get(allowed, "ingestProtection"))
        }).pipe(toProblems),
      )
      .handleRaw("updateIngestProtection", ({ request }) =>
        update(request, IngestProtectionUpdate, (allowed, changes) =>
          Effect.flatMap(policies.update(allowed, "ingestProtection", changes), (policy) =>
            withStatus(allowed, policy),
          ),
        ).pipe(toProblems),
      )
      .handle("getErrorRetention", () =>
        Effect.map(get("errorRetention"), errorRetentionView).pipe(toProblems),
      )
      .handleRaw("updateErrorRetention", ({ request }) =>
        update(request, ErrorRetentionUpdate, (allowed, changes) =>
          policies.update(allowed, "errorRetention", changes),
        ).pipe(Effect.map(errorRetentionView), toProblems),
      )
      .handle("getArtifactRetention", () =>
        Effect.map(get("artifactRetention"), artifactRetentionView).pipe(toProblems),
      )
      .handleRaw("updateArtifactRetention", ({ request }) =>
        update(request, ArtifactRetentionUpdate, (allowed, changes) =>
          policies.update(allowed, "artifactRetention", changes),
        ).pipe(Effect.map(artifactRetentionView), toProblems),
      )
      .handle("getHostedSourcemaps", () =>
        Effect.map(get("hostedSourcemaps"), hostedSourcemapsView).pipe(toProblems),
      )
      .handleRaw("updateHostedSourcemaps", ({ request }) =>
        update(request, HostedSourcemapsUpdate, (allowed, changes) =>
          policies.update(allowed, "hostedSourcemaps", changes),
        ).pipe(Effect.map(hostedSourcemapsView), toProblems),
      )
  })
