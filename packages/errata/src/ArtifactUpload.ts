/** Uploads of scripts and source maps from within the process. */
import {
  AccessPolicy,
  type Actor,
  ArtifactUploads,
  CurrentActor,
  type NotSignedIn,
  ProjectId,
  ProjectNotFound,
  Releases,
  type StorageError,
  ValidationError,
} from "@errata/core"
import { Effect, Schema } from "effect"

/** A script, a source map or a source. */
export interface ArtifactFile {
  /** The path of the file's URL after `~`, for example `~/assets/app.js`, or the whole URL. */
  readonly name: string
  readonly content: string | Uint8Array
  /** The debug id that a bundler plugin gave to the file. */
  readonly debugId?: string | undefined
}

/** The files of a release. */
export interface ArtifactUpload {
  readonly release: string
  readonly dist?: string | undefined
  /** At least one. A file replaces the file of the release with the same name and dist. */
  readonly files: ReadonlyArray<ArtifactFile>
}

/** Stores the files one after the other, creates the release if it is new, and returns the ids of the uploads. */
export const upload = (
  caller: Effect.Effect<Actor, NotSignedIn | StorageError>,
  projectId: number,
  { dist, files, release }: ArtifactUpload,
) =>
  Effect.flatMap(caller, (actor) =>
    Effect.gen(function* () {
      if (!Schema.is(ProjectId)(projectId)) {
        return yield* new ProjectNotFound({ projectId: projectId as ProjectId }, { disableChecks: true })
      }
      const project = yield* AccessPolicy.project("artifacts.upload", projectId)
      const changed = yield* AccessPolicy.project("releases.change", projectId)
      if (files.length === 0) return yield* ValidationError.of("files", "must not be empty")
      const uploads = yield* ArtifactUploads
      const kept = yield* Effect.forEach(files, ({ content, debugId, name }) =>
        uploads.storeFile(project, release, {
          name,
          dist: dist ?? null,
          headers: debugId === undefined ? {} : { "debug-id": debugId },
          content: typeof content === "string" ? new TextEncoder().encode(content) : content,
        }),
      )
      yield* (yield* Releases).ensure([changed], release)
      return kept.map(({ id }): number => id)
    }).pipe(Effect.provideService(CurrentActor, actor)),
  )
