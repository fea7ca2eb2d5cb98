/**
 * Groups that are resolved in a release, or muted until the next one: reports of some releases leave them so. Pure.
 *
 * Reports of a version that is older than the one with the fix say nothing against the fix. Semantic versions of one
 * application are compared, others by which of them was seen first. Reports of another application, and those
 * without a release, say nothing of the fix either.
 */
import type { Effect } from "effect"
import { releaseProblem } from "../artifact/ArtifactNames.js"
import { ageOf } from "../release/ReleaseVersion.js"
import { ValidationError } from "../validation/ValidationError.js"
import { type Group, type Mute, nextRelease, type Resolution } from "./Group.js"

/** When releases of a project were first seen, in epoch milliseconds; null where they were not. */
export type FirstSeen = (version: string) => number | null

/** A report as far as fixes are concerned. */
export interface ReleasedReport {
  readonly release: string
  /** Epoch milliseconds. */
  readonly receivedAt: number
}

/** Checks that a report shows that a resolved group is not. */
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

/** Checks that a report ends a mute that lasts until the next release. */
export const isOfNextRelease = (
  { at }: Mute,
  { receivedAt, release }: ReleasedReport,
  firstSeen: FirstSeen,
): boolean =>
  release !== "" && receivedAt >= at.epochMilliseconds && isNext(firstSeen(release), at.epochMilliseconds)

/** Checks that what becomes of the group depends on the releases of its reports. Of nearly all groups it does not. */
export const dependsOnReleases = ({ mute, resolution }: Pick<Group, "mute" | "resolution">): boolean =>
  (resolution !== null && resolution.inRelease !== null) || mute?.condition._tag === "UntilNextRelease"

/** The versions of which it matters for a group with such reports when they were first seen. */
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

/** Checks the release in a request to resolve a group. */
export const checkInRelease = (inRelease: string | null): Effect.Effect<void, ValidationError> =>
  ValidationError.ensure({ inRelease: inRelease === null ? null : releaseProblem(inRelease) })

// internal

/** Of the same millisecond it counts as later, as reports do: a regression is not to be missed. */
const isNext = (firstSeen: number | null, at: number): boolean => firstSeen !== null && firstSeen >= at
