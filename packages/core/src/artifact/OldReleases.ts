/** Removing the artifacts of old releases when a new one comes, where the policy says so. */
import { Effect } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import { inForce } from "../policy/PolicyInForce.js"
import { PolicyStore } from "../policy/PolicyStore.js"
import type { ProjectId } from "../project/Project.js"
import { ArtifactStore } from "./ArtifactStore.js"

/** The releases of a project, as whoever keeps them knows them. */
export interface KnownReleases<E, R> {
  /** Versions, newest first. */
  readonly newest: (limit: number) => Effect.Effect<ReadonlyArray<string>, E, R>
  /** Those of these versions that are releases at all: what was uploaded for one that is still to come stays. */
  readonly among: (versions: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, E, R>
}

/**
 * For whoever has created or finalized a release of a project: removes the bundles that belong to nothing but releases
 * beyond the newest `max_releases_kept`, and answers how many. The newest release's never go, and neither do bundles
 * without a release.
 */
export const purgeOldReleases = <E, R>(projectId: ProjectId, { among, newest }: KnownReleases<E, R>) =>
  Effect.gen(function* () {
    const { policies: defaults } = yield* ErrataConfig
    const stored = yield* (yield* PolicyStore).find("artifactRetention")
    const policy = inForce(defaults, "artifactRetention", stored)
    if (!policy.enabled || !policy.purgeOnNewRelease) return 0
    const store = yield* ArtifactStore
    const kept = new Set(yield* newest(policy.maxReleasesKept))
    const others = (yield* store.linkedReleases(projectId)).filter((release) => !kept.has(release))
    if (others.length === 0) return 0
    const removed = yield* store.removeOfReleases(projectId, yield* among(others))
    if (removed > 0) {
      yield* Effect.logInfo("Bundles of old releases deleted").pipe(
        Effect.annotateLogs({ project: projectId }),
      )
    }
    return removed
  }).pipe(Effect.withSpan("Artifacts.purgeOldReleases"))
