import {
  type ArtifactBundle,
  ArtifactBundleId,
  type ArtifactBundleKind,
  type ArtifactBundleLink,
  type ProjectId,
  type ReleaseFile,
} from "@errata/core"
import type { ArtifactStore, NewArtifactBundle } from "@errata/core/ports"
import { type DateTime, Option } from "effect"
import * as ArtifactChunks from "./internal/ArtifactChunks.js"
import * as ArtifactFiles from "./internal/ArtifactFiles.js"
import { isAmong } from "./internal/LiveProjects.js"
import { pageOf } from "./internal/Pages.js"
import type { ArtifactBundleRow, State } from "./internal/State.js"
import type { Reader, Transaction } from "./internal/Transaction.js"

export const make = (state: State): ArtifactStore["Service"] => {
  const bundlesOf = (reader: Reader, projectId: number): ReadonlyArray<ArtifactBundleRow> =>
    [...(state.artifactBundleIds.get(projectId)?.descending(reader) ?? [])].map(
      (id) => state.artifactBundles.get(reader, id)!,
    )

  const all = (reader: Reader): ReadonlyArray<ArtifactBundleRow> =>
    [...state.artifactBundles.entries(reader)].map(([, bundle]) => bundle)

  const find = (reader: Reader, projectId: ProjectId, id: number): ArtifactBundleRow | undefined => {
    const bundle = state.artifactBundles.get(reader, id)
    return bundle?.projectId === projectId ? bundle : undefined
  }

  const usable = (
    reader: Reader,
    projectId: number,
    kind: ArtifactBundleKind,
    checksum: string,
  ): ArtifactBundleRow | undefined =>
    bundlesOf(reader, projectId).find(
      (bundle) => bundle.state === "ok" && bundle.kind === kind && bundle.checksum === checksum,
    )

  const removeFrom = (transaction: Transaction, { id, projectId }: ArtifactBundleRow): void => {
    state.artifactBundles.delete(transaction, id)
    state.artifactBundleIds.of(projectId).remove(transaction, id)
  }

  const removeAll = (transaction: Transaction, bundles: ReadonlyArray<ArtifactBundleRow>): number => {
    for (const bundle of bundles) removeFrom(transaction, bundle)
    return bundles.length
  }

  const failedOf = (
    reader: Reader,
    { checksum, kind, projectId }: Pick<NewArtifactBundle, "checksum" | "kind" | "projectId">,
  ): ReadonlyArray<ArtifactBundleRow> =>
    bundlesOf(reader, projectId).filter(
      (bundle) => bundle.state === "failed" && bundle.kind === kind && bundle.checksum === checksum,
    )

  const add = (
    transaction: Transaction,
    { files, ...bundle }: NewArtifactBundle,
    bundleState: ArtifactBundle["state"],
    now: DateTime.Utc,
  ): ArtifactBundleId => {
    const id = ArtifactBundleId.make(state.nextId("artifactBundle"))
    state.artifactBundles.set(transaction, id, {
      ...bundle,
      id,
      state: bundleState,
      files,
      links: [],
      createdAt: now,
      uploadedAt: now,
      lastUsedAt: null,
    })
    state.artifactBundleIds.of(bundle.projectId).add(transaction, id)
    return id
  }

  const insert = (transaction: Transaction, bundle: NewArtifactBundle, now: DateTime.Utc) => {
    removeAll(transaction, failedOf(transaction, bundle))
    const known =
      bundle.kind === "release_file"
        ? undefined
        : usable(transaction, bundle.projectId, bundle.kind, bundle.checksum)
    return known === undefined ? add(transaction, bundle, "ok", now) : known.id
  }

  const link = (
    transaction: Transaction,
    projectId: ProjectId,
    id: number,
    { dist, release }: ArtifactBundleLink,
    now: DateTime.Utc,
  ): boolean => {
    const bundle = find(transaction, projectId, id)
    if (bundle === undefined) return false
    const others = bundle.links.filter((other) => other.release !== release || other.dist !== dist)
    state.artifactBundles.set(transaction, id, {
      ...bundle,
      links: [...others, { release, dist, linkedAt: now.epochMilliseconds }],
    })
    return others.length === bundle.links.length
  }

  const releaseFilesOf = (
    reader: Reader,
    projectId: ProjectId,
    release: string,
  ): ReadonlyArray<ArtifactBundleRow> =>
    bundlesOf(reader, projectId).filter(
      ({ kind, links }) => kind === "release_file" && links.some((link) => link.release === release),
    )

  return {
    ...ArtifactChunks.make(state),
    ...ArtifactFiles.make(state, bundlesOf),

    findByChecksum: (kind, checksum, projectIds) =>
      state.read((reader) => {
        for (const [projectId] of state.projects.entries(reader)) {
          if (!isAmong(state, reader, projectId, projectIds)) continue
          const bundle = usable(reader, projectId, kind, checksum)
          if (bundle !== undefined) {
            return Option.some({ projectId: bundle.projectId, bundleId: bundle.id })
          }
        }
        return Option.none()
      }),

    adopt: (from, projectId, by, now) =>
      state.write((transaction) => {
        const source = find(transaction, from.projectId, from.bundleId)
        if (source?.state !== "ok") return Option.none()
        const known = usable(transaction, projectId, source.kind, source.checksum)
        if (known !== undefined) {
          state.artifactBundles.set(transaction, known.id, { ...known, uploadedAt: now })
          return Option.some({ id: known.id, isNew: false })
        }
        const id = insert(transaction, { ...newOf(source), projectId, uploadedBy: by }, now)
        return Option.some({ id, isNew: true })
      }),

    insert: (bundle, now) => state.write((transaction) => insert(transaction, bundle, now)),

    link: ({ bundleId, projectId }, to, now) =>
      state.write((transaction) => link(transaction, projectId, bundleId, to, now)),

    insertFailed: (bundle, to, now) =>
      state.write((transaction) => {
        removeAll(transaction, failedOf(transaction, bundle))
        const id = add(transaction, { ...bundle, files: [] }, "failed", now)
        link(transaction, bundle.projectId, id, to, now)
        const failed = bundlesOf(transaction, bundle.projectId).filter((other) => other.state === "failed")
        removeAll(transaction, failed.slice(maxFailed))
        return id
      }),

    list: (projectId, page) =>
      state.read((reader) =>
        pageOf(state.artifactBundleIds.get(projectId)?.descending(reader, page.cursor) ?? [], page, (id) =>
          toBundle(state.artifactBundles.get(reader, id)!),
        ),
      ),

    find: (projectId, id) =>
      state.read((reader) => Option.map(Option.fromNullishOr(find(reader, projectId, id)), toBundle)),

    files: (projectId, id, limit) =>
      state.read((reader) =>
        (find(reader, projectId, id)?.files ?? [])
          .slice(0, limit)
          .map(({ debugId, mapReference, size, type, url }) => ({ type, url, debugId, mapReference, size })),
      ),

    debugIds: ({ bundleId, projectId }) =>
      state.read((reader) => {
        const ids = (find(reader, projectId, bundleId)?.files ?? []).flatMap(({ debugId, otherDebugIds }) => [
          ...(debugId === null ? [] : [debugId]),
          ...otherDebugIds,
        ])
        return [...new Set(ids)]
      }),

    remove: (projectId, id) =>
      state.write((transaction) => {
        const bundle = find(transaction, projectId, id)
        if (bundle === undefined) return false
        removeFrom(transaction, bundle)
        return true
      }),

    releaseFiles: (projectId, release, page) =>
      state.read((reader) => {
        const bundles = releaseFilesOf(reader, projectId, release).filter(
          ({ id }) => page.cursor === null || id < page.cursor,
        )
        return pageOf(
          bundles.map(({ id }) => id),
          page,
          (id) => toReleaseFile(bundles.find((bundle) => bundle.id === id)!, release),
        )
      }),

    replaceReleaseFile: (bundle, to, now) =>
      state.write((transaction) => {
        const old = releaseFilesOf(transaction, bundle.projectId, to.release ?? "").filter(
          ({ links, name }) => name === bundle.name && links.some(({ dist }) => dist === to.dist),
        )
        removeAll(transaction, old)
        const id = insert(transaction, bundle, now)
        link(transaction, bundle.projectId, id, to, now)
        return id
      }),

    removeReleaseFiles: (projectId, release, id) =>
      state.write((transaction) =>
        removeAll(
          transaction,
          releaseFilesOf(transaction, projectId, release).filter((bundle) => id === null || bundle.id === id),
        ),
      ),

    removeFailed: (before, limit) =>
      state.write((transaction) =>
        removeAll(
          transaction,
          all(transaction)
            .filter(
              (bundle) =>
                bundle.state === "failed" && bundle.uploadedAt.epochMilliseconds < before.epochMilliseconds,
            )
            .slice(0, limit),
        ),
      ),

    removeOldest: (before, limit) =>
      state.write((transaction) =>
        removeAll(
          transaction,
          all(transaction)
            .filter((bundle) => bundle.state === "ok")
            .map((bundle) => ({ bundle, age: touchedAt(bundle) }))
            .filter(({ age }) => before === null || age < before.epochMilliseconds)
            .sort((a, b) => a.age - b.age)
            .slice(0, limit)
            .map(({ bundle }) => bundle),
        ),
      ),

    linkedReleases: (projectId) =>
      state.read((reader) => {
        const releases = bundlesOf(reader, projectId).flatMap(({ links }) =>
          links.flatMap(({ release }) => (release === null ? [] : [release])),
        )
        return [...new Set(releases)]
      }),

    removeOfReleases: (projectId, releases) =>
      state.write((transaction) => {
        const isOld = (bundle: ArtifactBundleRow): boolean =>
          bundle.state === "ok" &&
          bundle.links.length > 0 &&
          bundle.links.every(({ release }) => release !== null && releases.includes(release))
        return removeAll(transaction, bundlesOf(transaction, projectId).filter(isOld))
      }),

    announceBlobs: (keys, now) =>
      state.write((transaction) =>
        keys.filter((key) => {
          const blob = state.artifactBlobs.get(transaction, key)
          if (blob !== undefined && blob.takenAt !== null) return true
          state.artifactBlobs.set(transaction, key, {
            bytes: blob?.bytes ?? 0,
            announcedAt: now.epochMilliseconds,
            takenAt: null,
          })
          return false
        }),
      ),

    storedBlobs: (blobs) =>
      state.write((transaction) => {
        for (const { bytes, key } of blobs) {
          const blob = state.artifactBlobs.get(transaction, key)
          if (blob !== undefined) state.artifactBlobs.set(transaction, key, { ...blob, bytes })
        }
      }),

    takeUnneeded: (before, abandoned, now, limit) =>
      state.write((transaction) => {
        const needed = neededBlobs(all(transaction))
        const unneeded: Array<string> = []
        const left: Array<{ readonly key: string; readonly takenAt: number }> = []
        for (const [key, { announcedAt, takenAt }] of state.artifactBlobs.entries(transaction)) {
          if (takenAt !== null) {
            if (takenAt < abandoned.epochMilliseconds) left.push({ key, takenAt })
          } else if (announcedAt < before.epochMilliseconds && !needed.has(key)) unneeded.push(key)
        }
        left.sort((a, b) => a.takenAt - b.takenAt)
        const taken = [...unneeded, ...left.map(({ key }) => key)].slice(0, limit)
        for (const key of taken) {
          const blob = state.artifactBlobs.get(transaction, key)!
          state.artifactBlobs.set(transaction, key, { ...blob, takenAt: now.epochMilliseconds })
        }
        return taken
      }),

    forgetBlobs: (keys) =>
      state.write((transaction) => {
        for (const key of keys) {
          if (state.artifactBlobs.get(transaction, key)?.takenAt != null) {
            state.artifactBlobs.delete(transaction, key)
          }
        }
      }),

    blobBytes: state.read((reader) => {
      const keys = neededBlobs(all(reader))
      let stored = 0
      let needed = 0
      for (const [key, { bytes }] of state.artifactBlobs.entries(reader)) {
        stored += bytes
        if (keys.has(key)) needed += bytes
      }
      return { stored, needed }
    }),
  }
}

// internal

const maxFailed = 1000

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const touchedAt = ({ lastUsedAt, uploadedAt }: ArtifactBundleRow): number =>
  Math.max(lastUsedAt?.epochMilliseconds ?? 0, uploadedAt.epochMilliseconds)

const neededBlobs = (bundles: ReadonlyArray<ArtifactBundleRow>): ReadonlySet<string> =>
  new Set(bundles.flatMap(({ files }) => files.map(({ blob }) => blob)))

const newOf = ({
  checksum,
  detail,
  files,
  kind,
  name,
  note,
  projectId,
  size,
  uploadedBy,
}: ArtifactBundleRow): NewArtifactBundle => ({
  projectId,
  kind,
  checksum,
  size,
  name,
  note,
  detail,
  uploadedBy,
  files,
})

const toBundle = ({ files, links, ...bundle }: ArtifactBundleRow): ArtifactBundle => ({
  ...bundle,
  filesCount: files.length,
  links: links
    .map(({ dist, release }) => ({ release, dist }))
    .sort((a, b) => compare(a.release ?? "", b.release ?? "") || compare(a.dist ?? "", b.dist ?? "")),
})

const toReleaseFile = (
  { checksum, createdAt, files, id, links, name, size }: ArtifactBundleRow,
  release: string,
): ReleaseFile => ({
  id,
  name: name ?? "",
  dist: links.find((link) => link.release === release)?.dist ?? null,
  mapReference: files[0]?.mapReference ?? null,
  debugId: files[0]?.debugId ?? null,
  size,
  sha1: checksum,
  createdAt,
})
