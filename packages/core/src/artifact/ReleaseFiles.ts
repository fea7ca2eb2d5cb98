/** Single files of a release, each stored as a bundle of one file. */
import { DateTime, Effect } from "effect"
import type * as AccessPolicy from "../access/AccessPolicy.js"
import { userIdOf } from "../access/Actor.js"
import { ErrataConfig } from "../ErrataConfig.js"
import * as Page from "../storage/Page.js"
import * as Transactions from "../storage/Transactions.js"
import { toStorable } from "../validation/StorableText.js"
import { ValidationError } from "../validation/ValidationError.js"
import { ArtifactArrivals } from "./ArtifactArrivals.js"
import {
  type ArtifactBundleId,
  ArtifactBundleNotFound,
  type ArtifactType,
  type ReleaseFile,
} from "./ArtifactBundle.js"
import { distProblem, fileNameProblem, releaseProblem } from "./ArtifactNames.js"
import { ArtifactStore } from "./ArtifactStore.js"
import type * as Blobs from "./Blobs.js"
import * as BundleFiles from "./BundleFiles.js"
import { normalizeDebugId } from "./DebugIds.js"
import { digest } from "./Digest.js"
import type * as UploadGuard from "./UploadGuard.js"

/** A single uploaded file. */
export interface UploadedFile {
  readonly name: string
  readonly dist: string | null
  /** Headers from the client, with names in any case, such as `Sourcemap` and `debug-id`. */
  readonly headers: Readonly<Record<string, string>>
  readonly content: Uint8Array
}

/** The part of `ArtifactUploads` for single files. `put` stores contents, and `room` checks the free disk space. */
export const make = ({
  put,
  room,
}: {
  readonly put: Effect.Success<typeof Blobs.make>
  readonly room: Effect.Success<typeof UploadGuard.make>
}) =>
  Effect.gen(function* () {
    const { artifacts: limits } = yield* ErrataConfig
    const transaction = yield* Transactions.make
    const store = yield* ArtifactStore
    const arrivals = yield* ArtifactArrivals

    /** Stores a single file of a release, in place of the one with the same name and dist. */
    const storeFile = Effect.fn("ArtifactUploads.storeFile")(function* (
      { actor, project }: AccessPolicy.AuthorizedProject<"artifacts.upload">,
      release: string,
      { content, dist, headers, name }: UploadedFile,
    ) {
      yield* ValidationError.ensure({
        release: releaseProblem(release),
        dist: dist === null ? null : distProblem(dist),
        name: fileNameProblem(name),
        content:
          content.byteLength > limits.maxFileBytes ? `is larger than ${limits.maxFileBytes} bytes` : null,
      })
      yield* room
      const header = (wanted: ReadonlyArray<string>): string | null =>
        Object.entries(headers).find(([key]) => wanted.includes(key.toLowerCase()))?.[1] ?? null
      const { files, warning } = yield* BundleFiles.keep(
        {
          note: null,
          files: [
            {
              type: typeOf(name),
              url: name,
              debugId: normalizeDebugId(header(["debug-id"]) ?? ""),
              mapReference: header(["sourcemap", "x-sourcemap"]),
              size: content.byteLength,
              content: Effect.succeed(content),
            },
          ],
        },
        put,
      ).pipe(
        Effect.catchTag("BundleUnreadable", () =>
          ValidationError.of("headers", "contain characters that cannot be stored"),
        ),
      )
      const sha1 = yield* digest("sha1", content)
      const createdAt = yield* DateTime.now
      const { debugId, mapReference } = files[0]!
      const id = yield* transaction(
        Effect.gen(function* () {
          const bundleId = yield* store.replaceReleaseFile(
            {
              projectId: project.id,
              kind: "release_file",
              checksum: sha1,
              size: content.byteLength,
              name,
              note: null,
              detail: warning,
              uploadedBy: userIdOf(actor),
              files,
            },
            { release, dist },
            createdAt,
          )
          const debugIds = yield* store.debugIds({ projectId: project.id, bundleId })
          yield* arrivals.arrived({ projectId: project.id, release, dist, debugIds })
          return bundleId
        }),
      )
      return {
        id,
        name,
        dist,
        mapReference,
        debugId,
        size: content.byteLength,
        sha1,
        createdAt,
      } satisfies ReleaseFile
    })

    /** Single files of a release, newest first. */
    const listFiles = Effect.fn("ArtifactUploads.listFiles")(function* (
      { project }: AccessPolicy.AuthorizedProject<"artifacts.read">,
      release: string,
      page: Page.PageRequest,
    ) {
      return yield* store.releaseFiles(project.id, toStorable(release), yield* Page.checked(page))
    })

    const deleteFile = Effect.fn("ArtifactUploads.deleteFile")(function* (
      { project }: AccessPolicy.AuthorizedProject<"artifacts.administer">,
      release: string,
      id: ArtifactBundleId,
    ) {
      const removed = yield* transaction(store.removeReleaseFiles(project.id, toStorable(release), id))
      if (removed === 0) return yield* new ArtifactBundleNotFound({ bundleId: id })
    })

    /** Removes all single files of a release. Returns how many. */
    const deleteFiles = Effect.fn("ArtifactUploads.deleteFiles")(function* (
      { project }: AccessPolicy.AuthorizedProject<"artifacts.administer">,
      release: string,
    ) {
      return yield* transaction(store.removeReleaseFiles(project.id, toStorable(release), null))
    })

    return { storeFile, listFiles, deleteFile, deleteFiles }
  })

// internal

/** The name is the only hint at the type. */
const typeOf = (name: string): ArtifactType => {
  const path = name.replace(/[?#].*$/, "")
  if (path.endsWith(".map")) return "source_map"
  return /\.(?:[cm]?js|bundle|jsbundle)$/.test(path) ? "minified_source" : "source"
}
