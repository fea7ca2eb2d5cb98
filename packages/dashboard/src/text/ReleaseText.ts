/** Releases that groups are resolved in, in words. */
import type { Group } from "@errata/api/promise"
import { cut, line } from "./SafeText.js"

/** Any release that is first seen later. */
export const nextRelease = "next"

/** Returns a release in a sentence: `the next release`, or its version. */
export const releaseText = (release: string): string =>
  release === nextRelease ? "the next release" : line(cut(release, 60))

/** Returns how a group is resolved, e.g. `resolved in 1.4.2`; null if it is not. */
export const resolvedText = ({
  resolved,
  resolved_in_release: release,
}: Pick<Group, "resolved" | "resolved_in_release">): string | null => {
  if (!resolved) return null
  return release == null ? "resolved" : `resolved in ${releaseText(release)}`
}
