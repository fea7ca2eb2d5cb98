/** Removes artifacts of old releases when a new release is created, if the policy says so. */
import { Effect } from "effect"
import { ErrataConfig } from "../ErrataConfig.js"
import { inForce } from "../policy/PolicyInForce.js"
import { PolicyStore } from "../policy/PolicyStore.js"
import type { ProjectId } from "../project/Project.js"
import { ArtifactStore } from "./ArtifactStore.js"

/** The releases of a project. The package that stores releases provides it. */
export interface KnownReleases<E, R> {
  /** Versions, newest first. */
  readonly newest: (limit: number) => Effect.Effect<ReadonlyArray<string>, E, R>
  /** The versions that exist as releases. Artifacts of a release that is not created yet stay. */
  readonly among: (versions: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, E, R>
}

/**
 * Removes bundles that are linked only to releases older than the newest `max_releases_kept`, and returns how many.
 * Call it after a release was created or finalized. Never removes bundles of the newest releases, or without a release.
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
