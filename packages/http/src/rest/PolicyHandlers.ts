import { HttpApiBuilder, type HttpServerRequest } from "@effect/platform"
import {
  ArtifactRetentionUpdate,
  artifactRetentionView,
  type ErrataApi,
  ErrorRetentionUpdate,
  errorRetentionView,
  HostedSourcemapsUpdate,
  hostedSourcemapsView,
  IngestProtectionUpdate,
  ingestProtectionView,
} from "@errata/api"
import { AccessPolicy, type IngestProtection, Policies } from "@errata/core"
import { Effect, type Schema } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "policies", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const policies = yield* Policies

      /** Makes the changes in a body, which `change` gets by the core's names. */
      const update = <A extends object, I, B, E, R>(
        request: HttpServerRequest.HttpServerRequest,
        schema: Schema.Schema<A, I>,
        change: (changes: CamelKeys<A>) => Effect.Effect<B, E, R>,
      ) =>
        AuthorizedBody.use(request, schema, access.check("policies.administer"), (body) =>
          change(camelKeys(body)),
        )

      const withStatus = (policy: IngestProtection) =>
        Effect.map(policies.ingestProtectionStatus, (status) => ingestProtectionView(policy, status))

      return handlers
        .handle("getIngestProtection", () =>
          Effect.flatMap(policies.get("ingestProtection"), withStatus).pipe(toProblems),
        )
        .handleRaw("updateIngestProtection", ({ request }) =>
          update(request, IngestProtectionUpdate, (changes) =>
            policies.update("ingestProtection", changes),
          ).pipe(Effect.flatMap(withStatus), toProblems),
        )
        .handle("getErrorRetention", () =>
          Effect.map(policies.get("errorRetention"), errorRetentionView).pipe(toProblems),
        )
        .handleRaw("updateErrorRetention", ({ request }) =>
          update(request, ErrorRetentionUpdate, (changes) => policies.update("errorRetention", changes)).pipe(
            Effect.map(errorRetentionView),
            toProblems,
          ),
        )
        .handle("getArtifactRetention", () =>
          Effect.map(policies.get("artifactRetention"), artifactRetentionView).pipe(toProblems),
        )
        .handleRaw("updateArtifactRetention", ({ request }) =>
          update(request, ArtifactRetentionUpdate, (changes) =>
            policies.update("artifactRetention", changes),
          ).pipe(Effect.map(artifactRetentionView), toProblems),
        )
        .handle("getHostedSourcemaps", () =>
          Effect.map(policies.get("hostedSourcemaps"), hostedSourcemapsView).pipe(toProblems),
        )
        .handleRaw("updateHostedSourcemaps", ({ request }) =>
          update(request, HostedSourcemapsUpdate, (changes) =>
            policies.update("hostedSourcemaps", changes),
          ).pipe(Effect.map(hostedSourcemapsView), toProblems),
        )
    }),
  )

// internal

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

type CamelKeys<A> = { readonly [Key in keyof A as CamelCase<Key>]: A[Key] }

const camelKeys = <A extends object>(body: A): CamelKeys<A> =>
  Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  ) as CamelKeys<A>
