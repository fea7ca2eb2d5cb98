/**
 * Decides how releases of reports affect groups that are resolved in a release or muted until the next one. Pure.
 *
 * Reports of a version older than the fix do not reopen the group. Semantic versions of the same application are
 * compared; other versions are ordered by when they were first seen. Reports of other applications, or without a
 * release, do not count.
 */
import type { Effect } from "effect"
import { releaseProblem } from "../artifact/ArtifactNames.js"
import { ageOf } from "../release/ReleaseVersion.js"
import { ValidationError } from "../validation/ValidationError.js"
import { type Group, type Mute, nextRelease, type Resolution } from "./Group.js"

/** Returns when a release of the project was first seen, in epoch milliseconds, or null. */
export type FirstSeen = (version: string) => number | null

/** The fields of a report that these decisions depend on. */
export interface ReleasedReport {
  readonly release: string
  /** Epoch milliseconds. */
  readonly receivedAt: number
}

/** Checks whether a report shows that a resolved group is not fixed. */
export const isAgainst = (
  { at, inRelease }: Resolution,
  { receivedAt, release }: ReleasedReport,
  firstSeen: FirstSeen,
): boolean => {
  if (receivedAt < at.epochMilliseconds) return false
  if (inRelease === null) return true
  if (release === "") return false
  if (inRelease === nextRelease) return isNext(firstSeen(release), at.epochMilliseconds)
  switch (ageOf(release, inRelease)) {
    case "same":
    case "newer":
      return true
    case "older":
    case "other":
      return false
    case "unknown": {
      const fixSeen = firstSeen(inRelease)
      const seen = firstSeen(release)
      return fixSeen !== null && seen !== null && seen >= fixSeen
    }
  }
}

/** Checks whether a report ends a mute that lasts until the next release. */
export const isOfNextRelease = (
  { at }: Mute,
  { receivedAt, release }: ReleasedReport,
  firstSeen: FirstSeen,
): boolean =>
  release !== "" && receivedAt >= at.epochMilliseconds && isNext(firstSeen(release), at.epochMilliseconds)

/** Checks whether the group's state depends on releases of its reports. For nearly all groups it does not. */
export const dependsOnReleases = ({ mute, resolution }: Pick<Group, "mute" | "resolution">): boolean =>
  (resolution !== null && resolution.inRelease !== null) || mute?.condition._tag === "UntilNextRelease"

/** The versions whose first-seen time is needed to record reports of these releases. */
export const versionsToLookUp = (
  { mute, resolution }: Pick<Group, "mute" | "resolution">,
  releases: Iterable<string>,
): ReadonlySet<string> => {
  const versions = new Set<string>()
  const inRelease = resolution?.inRelease ?? null
  const isNextAwaited = inRelease === nextRelease || mute?.condition._tag === "UntilNextRelease"
  for (const release of releases) {
    if (release === "") continue
    if (isNextAwaited) versions.add(release)
    if (inRelease === null || inRelease === nextRelease || ageOf(release, inRelease) !== "unknown") continue
    versions.add(release)
    versions.add(inRelease)
  }
  return versions
}

/** Validates the release in a request to resolve a group. */
export const checkInRelease = (inRelease: string | null): Effect.Effect<void, ValidationError> =>
  ValidationError.ensure({ inRelease: inRelease === null ? null : releaseProblem(inRelease) })

// internal

/** Equal milliseconds count as later, so that no regression is missed. */
const isNext = (firstSeen: number | null, at: number): boolean => firstSeen !== null && firstSeen >= at
