/** Fetches hosted maps with the guarded client. One node fetches a map at a time, and caches it. */
import { ErrataConfig, type ProjectId, type StorageError } from "@errata/core"
import { FairSemaphore } from "@errata/core/internal"
import {
  type HostedMap,
  type HostedOutcome,
  type HostedScript,
  type OutboundClient,
  type PolicyStore,
  SourcemapStore,
} from "@errata/core/ports"
import { Duration, Effect, Layer, Option } from "effect"
import { jsonOf } from "../script/MapJson.js"
import { isDataUrl, readDataUrl, referenceOf } from "../script/MapReference.js"
import { AuthorizedOrigins } from "./AuthorizedOrigins.js"
import * as HostedFiles from "./HostedFiles.js"
import { HostedMaps, type HostedMapUnavailable } from "./HostedMaps.js"

/** Fetches maps from authorized origins, and keeps them for a while. */
export const layer: Layer.Layer<HostedMaps, never, OutboundClient | PolicyStore | SourcemapStore> =
  Layer.effect(
    HostedMaps,
    Effect.gen(function* () {
      const { hostedMaps: settings } = yield* ErrataConfig
      const authorized = yield* AuthorizedOrigins
      const cache = yield* SourcemapStore
      const getFile = yield* HostedFiles.make
      // A fetch may hold much memory.
      const fetches = FairSemaphore.makeUnsafe<ProjectId>({
        permits: settings.concurrency,
        perKey: settings.perProject,
      })
      // The time of two files, and some more, because the lease is not renewed.
      const lease = Duration.sum(Duration.times(settings.timeout, 2), Duration.seconds(10))

      /** Fails with the reason why there is no map. */
      const fetch = Effect.fnUntraced(function* (projectId: ProjectId, address: URL, visited: Set<string>) {
        const scriptBounds = { maxBytes: settings.maxScriptBytes, tailBytes: scriptTailBytes }
        const script = yield* getFile(projectId, address, scriptBounds, visited)
        const reference = referenceOf(script.headers, script.body)
        if (reference === null) return yield* HostedFiles.unavailable("no_source_map_reference")
        if (isDataUrl(reference)) {
          const body = readDataUrl(reference)
          if (body === null) return yield* HostedFiles.unavailable("source_map_malformed")
          return yield* mapOf(body, script.url)
        }
        const mapAddress = HostedFiles.addressOf(reference, script.url)
        if (mapAddress === null) return yield* HostedFiles.unavailable("no_source_map_reference")
        const mapBounds = { maxBytes: settings.maxMapBytes, tailBytes: settings.maxMapBytes }
        const file = yield* getFile(projectId, mapAddress, mapBounds, visited)
        return yield* mapOf(file.body, file.url)
      })

      /** Fetches a map and caches the outcome. None if another node is fetching it. */
      const look = (script: HostedScript, address: URL) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const claim = yield* cache.claimMap(script, lease)
            if (Option.isNone(claim)) return Option.none<HostedOutcome>()
            const visited = new Set<string>()
            const outcome = yield* restore(outcomeOf(fetch(script.projectId, address, visited))).pipe(
              Effect.onError(() => Effect.ignore({ log: true })(cache.releaseMap(script, claim.value))),
            )
            // A change of the policy applies at once, so this outcome is not cached.
            if (outcome._tag === "Missing" && outcome.code === "hosted_fetching_disabled") {
              yield* cache.releaseMap(script, claim.value)
              return Option.some(outcome)
            }
            yield* cache.settleMap(script, claim.value, {
              outcome,
              origins: [...visited],
              keep: outcome._tag === "Found" ? settings.keepMaps : settings.keepMissing,
              maxBytes: settings.maxCacheBytes,
            })
            return Option.some(outcome)
          }),
        )

      const find = Effect.fn("HostedMaps.find")(function* (projectId: ProjectId, scriptUrl: string) {
        const address = HostedFiles.addressOf(scriptUrl)
        // Other addresses, such as `app:///index.js`, can only be uploaded.
        if (address === null || !/^https?:$/.test(address.protocol)) {
          return yield* HostedFiles.unavailable("artifact_not_uploaded")
        }
        const script = { projectId, url: address.href }
        while (true) {
          const refusal = yield* authorized.refusal(projectId, address)
          if (refusal !== null) return yield* HostedFiles.unavailable(refusal)
          const known = yield* cache.findMap(script)
          const outcome = Option.isSome(known)
            ? known
            : yield* fetches.withPermit(projectId)(look(script, address))
          if (Option.isSome(outcome)) {
            if (outcome.value._tag === "Found") return outcome.value.map
            return yield* HostedFiles.unavailable(outcome.value.code)
          }
          yield* Effect.sleep(pause)
        }
      })

      return { find }
    }),
  ).pipe(Layer.provide(AuthorizedOrigins.Default))

// internal

/** The comment that names the map is at the end. */
const scriptTailBytes = 64 * 1024

/** The interval of checks for the outcome of another node. */
const pause = Duration.millis(500)

const mapOf = (body: Uint8Array, url: URL): Effect.Effect<HostedMap, HostedMapUnavailable> => {
  const json = jsonOf(body)
  return json === null ? HostedFiles.unavailable("not_a_source_map") : Effect.succeed({ json, url: url.href })
}

const outcomeOf = (
  fetched: Effect.Effect<HostedMap, HostedMapUnavailable | StorageError>,
): Effect.Effect<HostedOutcome, StorageError> =>
  fetched.pipe(
    Effect.map((map): HostedOutcome => ({ _tag: "Found", map })),
    Effect.catchTag("HostedMapUnavailable", ({ code }) =>
      Effect.succeed<HostedOutcome>({ _tag: "Missing", code }),
    ),
  )
