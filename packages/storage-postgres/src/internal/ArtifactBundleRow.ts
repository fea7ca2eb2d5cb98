/** Rows of `errata.artifact_bundles` with their releases and dists. */
import type {
  ArtifactBundle,
  ArtifactBundleId,
  ArtifactBundleKind,
  ProjectId,
  ReleaseFile,
  UserId,
} from "@errata/core"
import type { ArtifactType } from "@errata/core/ports"
import * as Rows from "./Rows.js"
import { int4, int8, json, nullable, text, time } from "./SqlType.js"

/** Columns of the table `alias`. */
export const columns = (alias: string): string =>
  bundles.select(alias, {
    links: `(
      SELECT coalesce(json_agg(json_build_array(l.release, l.dist) ORDER BY l.release, l.dist), '[]')
      FROM errata.artifact_links AS l WHERE l.project_id = ${alias}.project_id AND l.bundle_id = ${alias}.id)`,
  })

export const read = (row: object): ArtifactBundle => {
  const { links, ...bundle } = bundles.read(row)
  return {
    ...bundle,
    links: links.map(([release, dist]) => ({ release: orNone(release), dist: orNone(dist) })),
  }
}

export const places = Rows.make({ projectId: int8<ProjectId>(), bundleId: int8<ArtifactBundleId>() })

export const debugIds = Rows.make({ debugId: text() })

export const releases = Rows.make({ release: text() })

export const listedFiles = Rows.make({
  type: text<ArtifactType>(),
  url: nullable(text()),
  debugId: nullable(text()),
  mapReference: nullable(text()),
  size: int8(),
})

export const releaseFiles = Rows.make({
  id: int8<ArtifactBundleId>(),
  name: text(),
  dist: text(),
  mapReference: nullable(text()),
  debugId: nullable(text()),
  size: int8(),
  sha1: text(),
  createdAt: time,
})

export const readReleaseFile = (row: object): ReleaseFile => {
  const file = releaseFiles.read(row)
  return { ...file, dist: orNone(file.dist) }
}

// internal

const orNone = (text: string): string | null => (text === "" ? null : text)

const bundles = Rows.make({
  id: int8<ArtifactBundleId>(),
  projectId: int8<ProjectId>(),
  kind: text<ArtifactBundleKind>(),
  state: text<ArtifactBundle["state"]>(),
  checksum: text(),
  size: int8(),
  filesCount: int4(),
  name: nullable(text()),
  note: nullable(text()),
  detail: nullable(text()),
  uploadedBy: nullable(int8<UserId>()),
  createdAt: time,
  uploadedAt: time,
  lastUsedAt: nullable(time),
  links: json<ReadonlyArray<readonly [release: string, dist: string]>>(),
})
