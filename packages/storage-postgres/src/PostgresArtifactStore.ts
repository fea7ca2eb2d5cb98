import { Page } from "@errata/core"
import { ArtifactStore } from "@errata/core/ports"
import { Array, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as ArtifactBundleRow from "./internal/ArtifactBundleRow.js"
import * as ArtifactChunks from "./internal/ArtifactChunks.js"
import * as ArtifactFiles from "./internal/ArtifactFiles.js"
import * as ArtifactRemoval from "./internal/ArtifactRemoval.js"
import * as ArtifactWrites from "./internal/ArtifactWrites.js"
import * as BlobRegister from "./internal/BlobRegister.js"
import * as LiveProjects from "./internal/LiveProjects.js"
import { named } from "./internal/PgStorageError.js"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(ArtifactBundleRow.columns("b"))

  return ArtifactStore.of({
    ...ArtifactChunks.make(sql),
    ...ArtifactFiles.make(sql),
    ...ArtifactWrites.make(sql),
    ...ArtifactRemoval.make(sql),
    ...BlobRegister.make(sql),

    findByChecksum: (kind, checksum, projectIds) =>
      sql`
        SELECT b.project_id, b.id AS bundle_id
        FROM ${LiveProjects.among(sql, projectIds)} CROSS JOIN LATERAL (
          SELECT project_id, id FROM errata.artifact_bundles
          WHERE project_id = p.id AND checksum = ${checksum} AND kind = ${kind}
            AND state = 'ok' AND kind <> 'release_file'
          LIMIT 1
        ) AS b
        LIMIT 1`.pipe(
        Effect.map((rows) => Array.head(rows.map(ArtifactBundleRow.places.read))),
        named("ArtifactStore.findByChecksum"),
      ),

    list: (projectId, page) =>
      sql`
        SELECT ${columns} FROM errata.artifact_bundles AS b
        WHERE b.project_id = ${projectId} AND b.id < ${page.cursor ?? Number.MAX_SAFE_INTEGER}
        ORDER BY b.id DESC LIMIT ${page.limit + 1}`.pipe(
        Effect.map((rows) => Page.fromRows(rows.map(ArtifactBundleRow.read), page)),
        named("ArtifactStore.list"),
      ),

    find: (projectId, id) =>
      sql`
        SELECT ${columns} FROM errata.artifact_bundles AS b WHERE b.project_id = ${projectId} AND b.id = ${id}`.pipe(
        Effect.map(([row]) => Option.map(Option.fromNullishOr(row), ArtifactBundleRow.read)),
        named("ArtifactStore.find"),
      ),

    files: (projectId, id, limit) =>
      sql`
        SELECT ${sql.literal(ArtifactBundleRow.listedFiles.select())} FROM errata.artifact_files
        WHERE project_id = ${projectId} AND bundle_id = ${id} ORDER BY position LIMIT ${limit}`.pipe(
        Effect.map((rows) => rows.map(ArtifactBundleRow.listedFiles.read)),
        named("ArtifactStore.files"),
      ),

    debugIds: ({ bundleId, projectId }) =>
      sql`
        SELECT debug_id FROM errata.artifact_files
        WHERE project_id = ${projectId} AND bundle_id = ${bundleId} AND debug_id IS NOT NULL
        UNION
        SELECT debug_id FROM errata.artifact_file_ids
        WHERE project_id = ${projectId} AND bundle_id = ${bundleId}`.pipe(
        Effect.map((rows) => rows.map((row) => ArtifactBundleRow.debugIds.read(row).debugId)),
        named("ArtifactStore.debugIds"),
      ),

    linkedReleases: (projectId) =>
      sql`
        SELECT DISTINCT release FROM errata.artifact_links
        WHERE project_id = ${projectId} AND release <> ''`.pipe(
        Effect.map((rows) => rows.map((row) => ArtifactBundleRow.releases.read(row).release)),
        named("ArtifactStore.linkedReleases"),
      ),

    releaseFiles: (projectId, release, page) =>
      sql`
        SELECT ${sql.literal(
          ArtifactBundleRow.releaseFiles.select("b", {
            dist: "l.dist",
            sha1: "b.checksum",
            mapReference: "f.map_reference",
            debugId: "f.debug_id",
          }),
        )}
        FROM errata.artifact_links AS l
          JOIN errata.artifact_bundles AS b
            ON b.project_id = ${projectId} AND b.id = l.bundle_id AND b.kind = 'release_file'
          JOIN errata.artifact_files AS f
            ON f.project_id = ${projectId} AND f.bundle_id = l.bundle_id AND f.position = 0
        WHERE l.project_id = ${projectId} AND l.release = ${release} AND l.release <> ''
          AND b.id < ${page.cursor ?? Number.MAX_SAFE_INTEGER}
        ORDER BY b.id DESC LIMIT ${page.limit + 1}`.pipe(
        Effect.map((rows) => Page.fromRows(rows.map(ArtifactBundleRow.readReleaseFile), page)),
        named("ArtifactStore.releaseFiles"),
      ),
  })
})

export const layer = Layer.effect(ArtifactStore, make)
