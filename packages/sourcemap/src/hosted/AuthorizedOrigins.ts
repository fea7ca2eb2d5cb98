/** Origins from which maps of a project may currently be fetched. */
import { ErrataConfig, type ProjectId, type StorageError } from "@errata/core"
import { canonicalOrigin, PolicyInForce, type SourcemapFailureCode } from "@errata/core/internal"
import { PolicyStore, SourcemapStore } from "@errata/core/ports"
import { Context, Effect, Layer, Result } from "effect"

export interface HostedFetching {
  /** The policy of the instance. */
  readonly isEnabled: boolean
  /** The origins that are authorized for the project. */
  readonly origins: ReadonlySet<string>
}

/** Queries only the storage, so that recorders can use it. */
export class AuthorizedOrigins extends Context.Service<AuthorizedOrigins>()(
  "@errata/sourcemap/AuthorizedOrigins",
  {
    make: Effect.gen(function* () {
      const { policies: defaults } = yield* ErrataConfig
      const policies = yield* PolicyStore
      const origins = yield* SourcemapStore

      const isEnabled = Effect.map(
        policies.find("hostedSourcemaps"),
        (stored) => PolicyInForce.inForce(defaults, "hostedSourcemaps", stored).enabled,
      )

      const ofProject = (projectId: ProjectId) =>
        Effect.map(
          origins.listOrigins(projectId, everything),
          ({ items }): ReadonlySet<string> => new Set(items.map(({ origin }) => origin)),
        )

      /** Returns the policy and the origins of a project. */
      const inForce = (projectId: ProjectId): Effect.Effect<HostedFetching, StorageError> =>
        Effect.all({ isEnabled, origins: ofProject(projectId) })

      /** Returns the reason why an address may not be requested now. Null if it may. */
      const refusal = Effect.fnUntraced(function* (projectId: ProjectId, url: URL) {
        if (url.protocol !== "https:") return "insecure_url" satisfies SourcemapFailureCode
        if (!(yield* isEnabled)) return "hosted_fetching_disabled" satisfies SourcemapFailureCode
        const origin = originOf(url)
        return origin !== null && (yield* ofProject(projectId)).has(origin)
          ? null
          : ("origin_not_authorized" satisfies SourcemapFailureCode)
      })

      return { inForce, refusal }
    }),
  },
) {
  static readonly Default = Layer.effect(this, this.make)
}

/** Returns the canonical origin of an address. Null if it cannot be authorized. */
export const originOf = (url: URL): string | null => Result.getOrNull(canonicalOrigin(url.origin))

/** Returns true if fetching is enabled and the origin of one of these addresses is authorized. */
export const mayFetch = ({ isEnabled, origins }: HostedFetching, urls: ReadonlyArray<string>): boolean =>
  isEnabled && isAnyOf(urls, origins)

/** Returns true if the origin of one of these addresses is authorized. */
export const isAnyOf = (urls: ReadonlyArray<string>, authorized: ReadonlySet<string>): boolean =>
  authorized.size > 0 &&
  urls.some((url) => {
    if (!isSecure(url) || !URL.canParse(url)) return false
    const origin = originOf(new URL(url))
    return origin !== null && authorized.has(origin)
  })

// internal

/** The maximum of the setting `maxSourcemapOrigins`. */
const everything = { limit: 1000, cursor: null }

const isSecure = (url: string): boolean => /^https:\/\//i.test(url)
