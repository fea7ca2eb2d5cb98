/** Inserts bundles with their files and links. */

import type {
  ArtifactBundleId,
  ArtifactBundleKind,
  ArtifactBundleLink,
  ProjectId,
  UserId,
} from "@errata/core"
import type {
  ArtifactStore,
  ArtifactType,
  BundlePlace,
  NewArtifactBundle,
  NewArtifactFile,
} from "@errata/core/ports"
import { type DateTime, Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import * as ArtifactRemoval from "./ArtifactRemoval.js"
import * as Batch from "./Batch.js"
import * as Buckets from "./Buckets.js"
import { named } from "./PgStorageError.js"
import { toDate } from "./PgTime.js"
import * as Rows from "./Rows.js"
import { int4, int8, nullable, text, texts } from "./SqlType.js"

type Writes = Pick<
  ArtifactStore["Service"],
  "adopt" | "insert" | "link" | "insertFailed" | "replaceReleaseFile"
>

export const make = (sql: SqlClient.SqlClient): Writes => {
  const inTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (running) =>
      Option.isSome(running) ? effect : sql.withTransaction(effect),
    )

  const removeFailed = ({ checksum, kind, projectId }: BundleKey) =>
    ArtifactRemoval.removeWhere(
      sql,
      sql`b.project_id = ${projectId} AND b.checksum = ${checksum} AND b.kind = ${kind} AND b.state = 'failed'`,
    )

  /** Returns the id of an existing bundle and locks it until the transaction ends. */
  const touch = ({ checksum, kind, projectId }: BundleKey, now: DateTime.Utc) =>
    Effect.map(
      sql`
        UPDATE errata.artifact_bundles SET uploaded_at = ${toDate(now)}
        WHERE project_id = ${projectId} AND checksum = ${checksum} AND kind = ${kind}
          AND state = 'ok' AND kind <> 'release_file'
        RETURNING id`,
      ([row]) => Option.map(Option.fromNullishOr(row), (found) => idRows.read(found).id),
    )

  /** Returns none if the project already has the bundle. */
  const insertRow = (
    bundle: Omit<NewArtifactBundle, "files">,
    state: "ok" | "failed",
    filesCount: number,
    now: DateTime.Utc,
  ) =>
    Effect.map(
      sql`
        INSERT INTO errata.artifact_bundles ${sql.insert({
          project_id: bundle.projectId,
          kind: bundle.kind,
          state,
          checksum: bundle.checksum,
          size: bundle.size,
          files_count: filesCount,
          name: bundle.name,
          note: bundle.note,
          detail: bundle.detail,
          uploaded_by: bundle.uploadedBy,
          created_at: toDate(now),
          uploaded_at: toDate(now),
        })}
        ON CONFLICT DO NOTHING RETURNING id`,
      ([row]) => Option.map(Option.fromNullishOr(row), (found) => idRows.read(found).id),
    )

  const insertFiles = (projectId: ProjectId, bundleId: number, files: ReadonlyArray<NewArtifactFile>) =>
    Effect.gen(function* () {
      for (let start = 0; start < files.length; start += batchSize) {
        const rows = files
          .slice(start, start + batchSize)
          .map((file, index) => ({ ...file, position: start + index }))
        yield* sql`
          INSERT INTO errata.artifact_files (project_id, bundle_id, ${sql.literal(inserted.columns)})
          SELECT ${projectId}, ${bundleId}, ${sql.literal(inserted.values)} FROM ${inserted.rows(sql, rows)}`
        const ids = rows.flatMap(({ otherDebugIds, position }) =>
          [...new Set(otherDebugIds)].map((debugId) => ({ debugId, position })),
        )
        if (ids.length === 0) continue
        yield* sql`
          INSERT INTO errata.artifact_file_ids (project_id, bundle_id, ${sql.literal(insertedIds.columns)})
          SELECT ${projectId}, ${bundleId}, ${sql.literal(insertedIds.values)} FROM ${insertedIds.rows(sql, ids)}`
      }
    })

  const insert = Effect.fnUntraced(function* (bundle: NewArtifactBundle, now: DateTime.Utc) {
    yield* removeFailed(bundle)
    // The bundle that blocked the insert may be removed before it is looked up.
    while (true) {
      const id = yield* insertRow(bundle, "ok", bundle.files.length, now)
      if (Option.isSome(id)) {
        yield* insertFiles(bundle.projectId, id.value, bundle.files)
        return id.value
      }
      const known = yield* touch(bundle, now)
      if (Option.isSome(known)) return known.value
    }
  })

  const link = (
    projectId: ProjectId,
    bundleId: number,
    { dist, release }: ArtifactBundleLink,
    now: DateTime.Utc,
  ) =>
    Effect.map(
      sql`
        INSERT INTO errata.artifact_links AS l (project_id, bundle_id, release, dist, linked_at)
        SELECT project_id, id, ${release ?? ""}, ${dist ?? ""}, ${toDate(now)} FROM errata.artifact_bundles
        WHERE project_id = ${projectId} AND id = ${bundleId} FOR KEY SHARE
        ON CONFLICT (project_id, bundle_id, release, dist) DO UPDATE SET linked_at = excluded.linked_at
        RETURNING (xmax = 0)::integer AS id`,
      ([row]) => row !== undefined && idRows.read(row).id === 1,
    )

  /** A bundle with its files, in the form of an insert. */
  const read = ({ bundleId, projectId }: BundlePlace) =>
    Effect.gen(function* () {
      const [row] = yield* sql`
        SELECT ${sql.literal(bundleRows.select())} FROM errata.artifact_bundles
        WHERE project_id = ${projectId} AND id = ${bundleId}`
      if (row === undefined) return null
      const files = yield* sql`
        SELECT ${sql.literal(
          fileRows.select("f", {
            blob: "encode(f.blob, 'hex')",
            otherDebugIds: `ARRAY(
            SELECT i.debug_id::text FROM errata.artifact_file_ids AS i
            WHERE i.project_id = f.project_id AND i.bundle_id = f.bundle_id AND i.position = f.position)`,
          }),
        )}
        FROM errata.artifact_files AS f WHERE f.project_id = ${projectId} AND f.bundle_id = ${bundleId}
        ORDER BY f.position`
      return { ...bundleRows.read(row), files: files.map(fileRows.read) }
    })

  /** Copies a bundle with its files and ids to another project, which may be in another bucket. */
  const copy = (from: BundlePlace, projectId: ProjectId, by: UserId | null, now: DateTime.Utc) =>
    Effect.gen(function* () {
      const bundle = yield* Buckets.inThatOf(sql, from.projectId)(read(from))
      if (bundle === null) return Option.none<ArtifactBundleId>()
      const copied = { ...bundle, projectId, uploadedBy: by }
      const id = yield* insertRow(copied, "ok", bundle.files.length, now)
      if (Option.isSome(id)) yield* insertFiles(projectId, id.value, bundle.files)
      return id
    })

  return {
    adopt: (from, projectId, by, now) =>
      inTransaction(
        Effect.gen(function* () {
          const [row] = yield* Buckets.inThatOf(
            sql,
            from.projectId,
          )(sql`
            SELECT checksum, kind FROM errata.artifact_bundles
            WHERE project_id = ${from.projectId} AND id = ${from.bundleId} AND state = 'ok' FOR KEY SHARE`)
          if (row === undefined) return Option.none()
          const key = { ...keyRows.read(row), projectId }
          while (true) {
            const known = yield* touch(key, now)
            if (Option.isSome(known)) return Option.some({ id: known.value, isNew: false })
            yield* removeFailed(key)
            const copied = yield* copy(from, projectId, by, now)
            if (Option.isSome(copied)) return Option.some({ id: copied.value, isNew: true })
          }
        }),
      ).pipe(named("ArtifactStore.adopt")),

    insert: (bundle, now) => inTransaction(insert(bundle, now)).pipe(named("ArtifactStore.insert")),

    link: ({ bundleId, projectId }, to, now) =>
      link(projectId, bundleId, to, now).pipe(named("ArtifactStore.link")),

    insertFailed: (bundle, to, now) =>
      inTransaction(
        Effect.gen(function* () {
          let id: Option.Option<ArtifactBundleId> = Option.none()
          while (Option.isNone(id)) {
            yield* removeFailed(bundle)
            id = yield* insertRow(bundle, "failed", 0, now)
          }
          yield* link(bundle.projectId, id.value, to, now)
          yield* ArtifactRemoval.removeWhere(
            sql,
            sql`b.project_id = ${bundle.projectId} AND b.state = 'failed' AND b.id <= (
              SELECT id FROM errata.artifact_bundles WHERE project_id = ${bundle.projectId} AND state = 'failed'
              ORDER BY id DESC LIMIT 1 OFFSET ${maxFailed})`,
          )
          return id.value
        }),
      ).pipe(named("ArtifactStore.insertFailed")),

    replaceReleaseFile: (bundle, to, now) =>
      inTransaction(
        Effect.gen(function* () {
          // Locks the project's row, because files that do not exist yet cannot be locked.
          yield* sql`SELECT FROM errata.projects WHERE id = ${bundle.projectId} FOR NO KEY UPDATE`
          yield* ArtifactRemoval.removeWhere(
            sql,
            sql`b.project_id = ${bundle.projectId} AND b.kind = 'release_file' AND b.name = ${bundle.name}
              AND b.id IN (
                SELECT bundle_id FROM errata.artifact_links
                WHERE project_id = ${bundle.projectId} AND release = ${to.release ?? ""} AND dist = ${to.dist ?? ""})`,
          )
          const id = yield* insert(bundle, now)
          yield* link(bundle.projectId, id, to, now)
          return id
        }),
      ).pipe(named("ArtifactStore.replaceReleaseFile")),
  }
}

// internal

type BundleKey = Pick<NewArtifactBundle, "checksum" | "kind" | "projectId">

const batchSize = 5000

/** Limit per project. */
const maxFailed = 1000

const idRows = Rows.make({ id: int8<ArtifactBundleId>() })
const bundleRows = Rows.make({
  kind: text<ArtifactBundleKind>(),
  checksum: text(),
  size: int8(),
  name: nullable(text()),
  note: nullable(text()),
  detail: nullable(text()),
})
const fileRows = Rows.make({
  type: text<ArtifactType>(),
  url: nullable(text()),
  debugId: nullable(text()),
  mapReference: nullable(text()),
  size: int8(),
  blob: text(),
  otherDebugIds: texts(),
})
const keyRows = Rows.make({ checksum: text(), kind: text<ArtifactBundleKind>() })

type PlacedFile = NewArtifactFile & { readonly position: number }

const { once } = Rows.writtenFrom<PlacedFile>()

const inserted = Batch.make<PlacedFile>({
  position: once(int4(), ({ position }) => position),
  type: once(text(), ({ type }) => type),
  url: once(nullable(text()), ({ url }) => url),
  debugId: once(nullable({ ...text(), sql: "uuid" }), ({ debugId }) => debugId),
  mapReference: once(nullable(text()), ({ mapReference }) => mapReference),
  size: once(int8(), ({ size }) => size),
  blob: once({ ...text(), from: (element: string) => `decode(${element}, 'hex')` }, ({ blob }) => blob),
})

const insertedIds = Batch.ofFields<{ readonly debugId: string; readonly position: number }>({
  debugId: { ...text(), sql: "uuid" },
  position: int4(),
})
