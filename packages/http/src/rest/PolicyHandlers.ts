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
import * as JsonBody from "./JsonBody.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "policies", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const policies = yield* Policies

      /** The settings that a body changes, by the core's names. */
      const changes = <A extends object, I>(
        request: HttpServerRequest.HttpServerRequest,
        schema: Schema.Schema<A, I>,
      ) =>
        Effect.zipRight(
          access.check("policies.administer"),
          Effect.map(JsonBody.read(request, schema), camelKeys),
        )

      const withStatus = (policy: IngestProtection) =>
        Effect.map(policies.ingestProtectionStatus, (status) => ingestProtectionView(policy, status))

      return handlers
        .handle("getIngestProtection", () =>
          Effect.flatMap(policies.get("ingestProtection"), withStatus).pipe(toProblems),
        )
        .handleRaw("updateIngestProtection", ({ request }) =>
          changes(request, IngestProtectionUpdate).pipe(
            Effect.flatMap((changed) => policies.update("ingestProtection", changed)),
            Effect.flatMap(withStatus),
            toProblems,
          ),
        )
        .handle("getErrorRetention", () =>
          Effect.map(policies.get("errorRetention"), errorRetentionView).pipe(toProblems),
        )
        .handleRaw("updateErrorRetention", ({ request }) =>
          changes(request, ErrorRetentionUpdate).pipe(
            Effect.flatMap((changed) => policies.update("errorRetention", changed)),
            Effect.map(errorRetentionView),
            toProblems,
          ),
        )
        .handle("getArtifactRetention", () =>
          Effect.map(policies.get("artifactRetention"), artifactRetentionView).pipe(toProblems),
        )
        .handleRaw("updateArtifactRetention", ({ request }) =>
          changes(request, ArtifactRetentionUpdate).pipe(
            Effect.flatMap((changed) => policies.update("artifactRetention", changed)),
            Effect.map(artifactRetentionView),
            toProblems,
          ),
        )
        .handle("getHostedSourcemaps", () =>
          Effect.map(policies.get("hostedSourcemaps"), hostedSourcemapsView).pipe(toProblems),
        )
        .handleRaw("updateHostedSourcemaps", ({ request }) =>
          changes(request, HostedSourcemapsUpdate).pipe(
            Effect.flatMap((changed) => policies.update("hostedSourcemaps", changed)),
            Effect.map(hostedSourcemapsView),
            toProblems,
          ),
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
