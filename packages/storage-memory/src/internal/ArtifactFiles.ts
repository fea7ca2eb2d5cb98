/** Looks up uploaded files by debug id or name. */
import type { ProjectId } from "@errata/core"
import { type ArtifactFile, type ArtifactStore, maxBundlesLookedInto } from "@errata/core/ports"
import type { ArtifactBundleRow, State } from "./State.js"
import type { Reader } from "./Transaction.js"

/** `bundlesOf` returns the newest bundle first. */
export const make = (
  state: State,
  bundlesOf: (reader: Reader, projectId: ProjectId) => ReadonlyArray<ArtifactBundleRow>,
) =>
  ({
    projectsWithFiles: (projectIds) =>
      state.read(
        (reader) =>
          new Set(projectIds.filter((id) => bundlesOf(reader, id).some(({ files }) => files.length > 0))),
      ),

    filesByDebugIds: (projectId, debugIds) =>
      state.read((reader) => {
        const wanted = new Set(debugIds)
        const own: Array<ArtifactFile> = []
        const other: Array<ArtifactFile> = []
        for (const bundle of bundlesOf(reader, projectId)) {
          for (const file of bundle.files) {
            const found = { ...file, bundleId: bundle.id }
            if (file.debugId !== null && wanted.has(file.debugId)) own.push(plain(found))
            for (const id of file.otherDebugIds) {
              if (wanted.has(id)) other.push({ ...plain(found), debugId: id })
            }
          }
        }
        const known = new Set(own.map(({ debugId }) => debugId))
        return [...own, ...other.filter(({ debugId }) => !known.has(debugId))]
      }),

    filesByNames: (projectId, release, dist, names) =>
      state.read((reader) => {
        const wanted = new Set(names)
        const bundles = bundlesOf(reader, projectId)
        const linkedTo = (dist: string | null): ReadonlyArray<ArtifactBundleRow> =>
          bundles
            .flatMap((bundle) =>
              bundle.links
                .filter((link) => link.release === release && link.dist === dist && bundle.state === "ok")
                .map(({ linkedAt }) => ({ bundle, linkedAt })),
            )
            .sort((a, b) => b.linkedAt - a.linkedAt)
            .slice(0, maxBundlesLookedInto)
            .map(({ bundle }) => bundle)
        return [...new Set([...linkedTo(dist), ...linkedTo(null)])].flatMap((bundle) =>
          bundle.files
            .filter(({ url }) => url !== null && wanted.has(url))
            .map((file) => plain({ ...file, bundleId: bundle.id })),
        )
      }),

    markUsed: (projectId, bundleIds, now) =>
      state.write((transaction) => {
        for (const id of bundleIds) {
          const bundle = state.artifactBundles.get(transaction, id)
          if (bundle?.projectId !== projectId) continue
          state.artifactBundles.set(transaction, id, { ...bundle, lastUsedAt: now })
        }
      }),
  }) satisfies Partial<ArtifactStore["Service"]>

// internal

const plain = ({ blob, bundleId, debugId, mapReference, size, type, url }: ArtifactFile): ArtifactFile => ({
  bundleId,
  type,
  url,
  debugId,
  mapReference,
  size,
  blob,
})
