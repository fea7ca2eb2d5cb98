/** Names uploads and their releases. */
import type { ArtifactBundle } from "@errata/api/promise"

/** Returns the name of a single file, or `Bundle 80dc7b1f` for many. */
export const uploadName = ({
  checksum,
  kind,
  name,
}: Pick<ArtifactBundle, "checksum" | "kind" | "name">): string =>
  name ?? `${kind === "debug_file" ? "Debug file" : "Bundle"} ${checksum.slice(0, 8)}`

/** Returns the releases of an upload, e.g. `shop@1.4.0 (web), shop@1.5.0`. */
export const linkText = (links: ArtifactBundle["links"]): string => {
  const named = links.flatMap(({ dist, release }) =>
    release === null ? [] : [dist === null ? release : `${release} (${dist})`],
  )
  return named.length === 0 ? "no release, found by debug id" : named.join(", ")
}
