import { Context, DateTime, Duration, Effect, Layer, Option, Semaphore } from "effect"
import * as AccessPolicy from "../access/AccessPolicy.js"
import { userIdOf } from "../access/Actor.js"
import { ErrataConfig } from "../ErrataConfig.js"
import type { StorageError } from "../storage/StorageError.js"
import * as Transactions from "../storage/Transactions.js"
import { blank, toStorable } from "../validation/StorableText.js"
import { ValidationError } from "../validation/ValidationError.js"
import { ArtifactArrivals } from "./ArtifactArrivals.js"
import { type ArtifactBundleKind, type ArtifactBundleLink, ArtifactUploadsPaused } from "./ArtifactBundle.js"
import { distProblem, fileNameProblem, releaseProblem, sha1Problem } from "./ArtifactNames.js"
import { ArtifactStore, type BundlePlace, type ChunkSize, type NewArtifactBundle } from "./ArtifactStore.js"
import * as Blobs from "./Blobs.js"
import * as BundleFiles from "./BundleFiles.js"
import { type BundleFile, BundleReader, BundleUnreadable } from "./BundleReader.js"
import * as ChunkReader from "./ChunkReader.js"
import { digest } from "./Digest.js"
import * as ReleaseFiles from "./ReleaseFiles.js"
import * as UploadedContent from "./UploadedContent.js"
import * as UploadGuard from "./UploadGuard.js"
import * as UploadLease from "./UploadLease.js"

/** A build tool's request to assemble chunks. */
export interface ArtifactUpload {
  /** SHA-1 of the entire upload, in lower-case hexadecimal. */
  readonly checksum: string
  /** SHA-1 of each chunk, in order. The same chunk may occur up to eight times. */
  readonly chunks: ReadonlyArray<string>
  /** At least one. Either all of them get the bundle or none. */
  readonly projects: ReadonlyArray<AccessPolicy.AuthorizedProject<"artifacts.upload">>
  readonly release: string | null
  readonly dist: string | null
  readonly kind: Exclude<ArtifactBundleKind, "release_file">
  /** The name of a debug file. Only archives (`.zip`) can contain source bundles; other names are rejected. */
  readonly name?: string | null
}

/** The final result. Sentry's state `created` is never used, because assembly is synchronous. */
export interface AssembledUpload {
  readonly state: "ok" | "not_found" | "error"
  /** Chunks to upload before the next attempt. */
  readonly missingChunks: ReadonlyArray<string>
  /** The reason for an error. */
  readonly detail: string | null
}

/** The chunk size for build tools. Older ones support powers of two only. */
export const chunkBytesFor = (maxBytes: number): number => 2 ** Math.floor(Math.log2(maxBytes))

/** Accepts uploads of build tools: first chunks, then requests to assemble them. */
export class ArtifactUploads extends Context.Service<ArtifactUploads>()(
  "@errata/core/artifact/ArtifactUploads",
  {
    make: Effect.gen(function* () {
      const { artifacts: limits } = yield* ErrataConfig
      const transaction = yield* Transactions.make
      const access = yield* AccessPolicy.AccessPolicy
      const store = yield* ArtifactStore
      const reader = yield* BundleReader
      const arrivals = yield* ArtifactArrivals
      const put = yield* Blobs.make
      const room = yield* UploadGuard.make
      const readers = yield* Semaphore.make(maxReaders)

      /** Stores a chunk after checking its SHA-1. */
      const storeChunk = Effect.fn("ArtifactUploads.storeChunk")(function* (
        { actor }: AccessPolicy.AuthorizedInstance<"chunks.upload">,
        chunk: { readonly sha1: string; readonly content: Uint8Array },
      ) {
        const { content, sha1 } = chunk
        yield* ValidationError.ensure({
          sha1: sha1Problem(sha1),
          content:
            content.byteLength > limits.chunkBytes ? `is larger than ${limits.chunkBytes} bytes` : null,
        })
        if ((yield* digest("sha1", content)) !== sha1) {
          return yield* ValidationError.of("sha1", "is not the SHA-1 of the chunk")
        }
        yield* room
        const owner = userIdOf(actor)
        if ((yield* store.findChunks(owner, [sha1])).length === 0) {
          const open = yield* store.openBytes(owner)
          if (open + content.byteLength > limits.maxOpenBytes) {
            return yield* ValidationError.of("content", `has no room: ${open} bytes wait to be assembled`)
          }
        }
        yield* store.putChunk(owner, chunk, yield* DateTime.now)
      })

      /** Links a bundle and announces its files, unless project and link already existed. */
      const linkAndAnnounce = (
        place: BundlePlace,
        link: ArtifactBundleLink,
        isNew: boolean,
        now: DateTime.Utc,
      ) =>
        Effect.gen(function* () {
          const isLinkNew = yield* store.link(place, link, now)
          if (!isNew && !isLinkNew) return
          const debugIds = yield* store.debugIds(place)
          yield* arrivals.arrived({ projectId: place.projectId, ...link, debugIds })
        })

      /** Adds an existing bundle to the projects. Returns whether there is one. */
      const adopt = ({ checksum, dist, kind, projects, release }: ArtifactUpload) =>
        Effect.gen(function* () {
          const { actor } = projects[0]!
          const from = yield* store.findByChecksum(kind, checksum, yield* access.visibleProjects(actor))
          if (Option.isNone(from)) return false
          const now = yield* DateTime.now
          return yield* transaction(
            Effect.gen(function* () {
              for (const { project } of inOrder(projects)) {
                const adopted = yield* store.adopt(from.value, project.id, userIdOf(actor), now)
                if (Option.isNone(adopted)) return false
                const { id, isNew } = adopted.value
                yield* linkAndAnnounce({ projectId: project.id, bundleId: id }, { release, dist }, isNew, now)
              }
              return true
            }),
          )
        })

      const insert = (
        projects: ArtifactUpload["projects"],
        link: ArtifactBundleLink,
        bundle: Omit<NewArtifactBundle, "projectId">,
      ) =>
        Effect.flatMap(DateTime.now, (now) =>
          transaction(
            Effect.forEach(
              inOrder(projects),
              ({ project }) =>
                Effect.gen(function* () {
                  const bundleId = yield* store.insert({ ...bundle, projectId: project.id }, now)
                  yield* linkAndAnnounce({ projectId: project.id, bundleId }, link, true, now)
                }),
              { discard: true },
            ),
          ),
        )

      /** Records the reason for people to see: build tools continue without showing it. */
      const refuse = Effect.fnUntraced(function* (upload: ArtifactUpload, size: number, reason: string) {
        const now = yield* DateTime.now
        const { checksum, dist, kind, projects, release } = upload
        const detail = toStorable(reason)
        yield* Effect.forEach(
          projects,
          ({ actor, project }) =>
            store.insertFailed(
              {
                projectId: project.id,
                kind,
                checksum,
                size,
                name: upload.name ?? null,
                note: null,
                detail,
                uploadedBy: userIdOf(actor),
              },
              { release, dist },
              now,
            ),
          { discard: true },
        )
        return { state: "error", missingChunks: [], detail } satisfies AssembledUpload
      })

      /** Reads an upload whose chunks are complete, and inserts it as a bundle of each project. */
      const read = Effect.fnUntraced(function* (upload: ArtifactUpload, pieces: ReadonlyArray<ChunkSize>) {
        const owner = userIdOf(upload.projects[0]!.actor)
        const source = ChunkReader.make(store, owner, pieces)
        yield* UploadedContent.verify(source, upload.checksum)
        const { files, note, warning } = yield* filesOf(upload, source)
        yield* insert(
          upload.projects,
          { release: upload.release, dist: upload.dist },
          {
            kind: upload.kind,
            checksum: upload.checksum,
            size: source.size,
            name: upload.name ?? null,
            note,
            detail: warning,
            uploadedBy: owner,
            files,
          },
        )
        yield* store.settleChunks(owner, upload.chunks, yield* DateTime.now)
        return assembled
      })

      const filesOf = (upload: ArtifactUpload, source: ReturnType<typeof ChunkReader.make>) =>
        Effect.gen(function* () {
          const bundle = yield* reader.open(source, limits)
          if (upload.kind === "debug_file" && !bundle.files.some(isFindable)) {
            return yield* new BundleUnreadable({ reason: unusable })
          }
          return { ...(yield* BundleFiles.keep(bundle, put)), note: bundle.note }
        }).pipe(
          Effect.scoped,
          // The next attempt is faster, because it does not store contents again.
          Effect.timeoutOrElse({
            duration: maxReading,
            orElse: () => Effect.fail(new ArtifactUploadsPaused({ reason: "slow" })),
          }),
        )

      /**
       * Assembles chunks into a bundle, or links the existing bundle to more projects and releases. Validates
       * everything before it returns.
       */
      const assemble = Effect.fn("ArtifactUploads.assemble")(function* (upload: ArtifactUpload) {
        yield* ValidationError.ensure(problemsOf(upload))
        if (upload.kind === "debug_file" && upload.name?.endsWith(".zip") !== true) {
          return { state: "error", missingChunks: [], detail: unusable } satisfies AssembledUpload
        }
        if (yield* adopt(upload)) return assembled
        if (upload.chunks.length > Math.ceil(limits.maxBundleBytes / chunkBytesFor(limits.chunkBytes))) {
          return yield* refuse(upload, 0, tooLarge(limits.maxBundleBytes))
        }
        const owner = userIdOf(upload.projects[0]!.actor)
        const held = new Map(
          (yield* store.findChunks(owner, upload.chunks)).map((chunk) => [chunk.sha1, chunk] as const),
        )
        const missingChunks = [...new Set(upload.chunks)].filter((sha1) => !held.has(sha1))
        if (missingChunks.length > 0) {
          return { state: "not_found", missingChunks, detail: null } satisfies AssembledUpload
        }
        const pieces = upload.chunks.map((sha1) => held.get(sha1)!)
        const size = pieces.reduce((sum, piece) => sum + piece.size, 0)
        if (size > limits.maxBundleBytes) return yield* refuse(upload, size, tooLarge(limits.maxBundleBytes))
        yield* room
        const work = Effect.gen(function* () {
          if (yield* adopt(upload)) return assembled
          return yield* read(upload, pieces)
        }).pipe(
          Effect.catch(
            (error): Effect.Effect<AssembledUpload, ArtifactUploadsPaused | StorageError> =>
              error instanceof BundleUnreadable ? refuse(upload, size, error.reason) : Effect.fail(error),
          ),
        )
        return yield* UploadLease.alone(
          store,
          { owner, checksum: upload.checksum },
          readers.withPermits(1)(work),
        )
      })

      const files = yield* ReleaseFiles.make({ put, room })

      return { storeChunk, assemble, ...files }
    }),
  },
) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

const assembled: AssembledUpload = { state: "ok", missingChunks: [], detail: null }

/** Concurrent readers per node. Each may hold its largest file in memory. */
const maxReaders = 2

/** Ends before the first stored contents lose their protection from removal. */
const maxReading = Duration.times(Blobs.keepUnneeded, 0.8)

const unusable =
  "Errata cannot use this file. It reads source maps, but not native debug files or ProGuard mappings"

/** Frames find a file by its URL or by its debug id. */
const isFindable = ({ debugId, url }: BundleFile): boolean => debugId !== null || url !== null

const tooLarge = (maxBytes: number): string => `The bundle is larger than ${maxBytes} bytes`

/** A fixed lock order avoids deadlocks between uploads for several projects. */
const inOrder = (projects: ArtifactUpload["projects"]): ArtifactUpload["projects"] => {
  const byId = new Map(projects.map((authorized) => [authorized.project.id, authorized]))
  return [...byId.values()].sort((a, b) => a.project.id - b.project.id)
}

/** Prevents small uploads from expanding into huge bundles. */
const maxRepeats = 8

const repeatProblem = (chunks: ReadonlyArray<string>): string | null => {
  const times = new Map<string, number>()
  for (const sha1 of chunks) {
    const count = (times.get(sha1) ?? 0) + 1
    if (count > maxRepeats) return `names the chunk ${sha1} more than ${maxRepeats} times`
    times.set(sha1, count)
  }
  return null
}

const problemsOf = ({ checksum, chunks, dist, kind, name, projects, release }: ArtifactUpload) => ({
  checksum: sha1Problem(checksum),
  chunks: chunks.map(sha1Problem).find((problem) => problem !== null) ?? repeatProblem(chunks),
  projects: projects.length === 0 ? blank : null,
  release: release === null ? null : releaseProblem(release),
  dist: dist === null ? null : distProblem(dist),
  name: kind === "bundle" || name === undefined || name === null ? null : fileNameProblem(name),
})
