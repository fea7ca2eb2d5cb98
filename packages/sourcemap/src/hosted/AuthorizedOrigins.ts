/** Whether something may be fetched for a project now. */
import {
  canonicalOrigin,
  ErrataConfig,
  PolicyInForce,
  PolicyStore,
  type ProjectId,
  type SourcemapFailureCode,
  SourcemapOriginStore,
  type StorageError,
} from "@errata/core"
import { Context, Effect, Layer, Result } from "effect"

export interface HostedFetching {
  /** The switch of the instance. */
  readonly isEnabled: boolean
  /** The origins that are authorised for the project. */
  readonly origins: ReadonlySet<string>
}

/** Needs the storage alone: who records asks it, and fetches nothing. */
export class AuthorizedOrigins extends Context.Service<AuthorizedOrigins>()(
  "@errata/sourcemap/AuthorizedOrigins",
  {
    make: Effect.gen(function* () {
      const { policies: defaults } = yield* ErrataConfig
      const policies = yield* PolicyStore
      const origins = yield* SourcemapOriginStore

      const isEnabled = Effect.map(
        policies.find("hostedSourcemaps"),
        (stored) => PolicyInForce.inForce(defaults, "hostedSourcemaps", stored).enabled,
      )

      const ofProject = (projectId: ProjectId) =>
        Effect.map(
          origins.list(projectId, everything),
          ({ items }): ReadonlySet<string> => new Set(items.map(({ origin }) => origin)),
        )

      /** The switch and the origins of a project now. */
      const inForce = (projectId: ProjectId): Effect.Effect<HostedFetching, StorageError> =>
        Effect.all({ isEnabled, origins: ofProject(projectId) })

      /** Why an address may not be asked now; null where it may. */
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

/** The origin of an address in the form in which origins are authorised; null where it can have none of them. */
export const originOf = (url: URL): string | null => Result.getOrNull(canonicalOrigin(url.origin))

/** Whether the switch is on, and the origin of one of these addresses is authorised. */
export const mayFetch = ({ isEnabled, origins }: HostedFetching, urls: ReadonlyArray<string>): boolean =>
  isEnabled && isAnyOf(urls, origins)

/** Whether the origin of one of these addresses is authorised. */
export const isAnyOf = (urls: ReadonlyArray<string>, authorized: ReadonlySet<string>): boolean =>
  authorized.size > 0 &&
  urls.some((url) => {
    if (!isSecure(url) || !URL.canParse(url)) return false
    const origin = originOf(new URL(url))
    return origin !== null && authorized.has(origin)
  })

// internal

/** As many as the settings can allow a project. */
const everything = { limit: 1000, cursor: null }

const isSecure = (url: string): boolean => /^https:\/\//i.test(url)
