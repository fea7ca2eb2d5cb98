/** The chunk upload protocol: capabilities, chunks and assembly. */
import { AccessPolicy, ArtifactUploads, ErrataConfig, Releases } from "@errata/core"
import { Effect } from "effect"
import * as BodyPieces from "./BodyPieces.js"
import * as CalledBody from "./CalledBody.js"
import * as CalledProjects from "./CalledProjects.js"
import * as ChunkRequests from "./ChunkRequests.js"
import { inflate } from "./Inflate.js"
import * as Parts from "./Parts.js"
import * as Bodies from "./ReleaseBodies.js"
import * as Slots from "./Slots.js"
import { ok } from "./UploadAnswer.js"
import { BadBody, type UploadHandler, type UploadRoute } from "./UploadCall.js"

export const make = Effect.gen(function* () {
  const { artifacts: limits } = yield* ErrataConfig
  const slots = Slots.make({ count: maxRequests, perOwner: maxRequestsOfUser, patience })
  const requests = ChunkRequests.of(limits.chunkBytes)

  const options: UploadHandler = (call) =>
    Effect.succeed(
      ok({
        url: `${call.address}/api/0/organizations/${encodeURIComponent(call.params["organization"]!)}/chunk-upload/`,
        chunkSize: requests.chunkSize,
        chunksPerRequest: requests.chunksPerRequest,
        maxRequestSize: requests.maxRequestSize,
        maxFileSize: limits.maxBundleBytes,
        maxWait: 60,
        concurrency: maxRequestsOfUser,
        hashAlgorithm: "sha1",
        // The only listed coding, since some clients select the best one and others support no other.
        compression: ["gzip"],
        accept,
      }),
    )

  const storeChunks: UploadHandler = (call) =>
    Effect.gen(function* () {
      const uploads = yield* ArtifactUploads
      yield* AccessPolicy.instance("chunks.upload")
      yield* CalledProjects.admit("artifacts.upload", call)
      const bounds = {
        maxParts: requests.chunksPerRequest,
        maxPartBytes: requests.maxPartBytes,
        maxBytes: requests.maxBodyBytes,
      }
      yield* Parts.read(
        { contentType: call.header("content-type"), pieces: BodyPieces.within(call.pieces, patience) },
        bounds,
        ({ content, filename, name }) =>
          Effect.gen(function* () {
            if (filename === null) return yield* new BadBody({ reason: "A part has no file name" })
            const chunk = yield* inflate(name, content, limits.chunkBytes)
            const allowed = yield* call.asNow(AccessPolicy.instance("chunks.upload"))
            yield* uploads.storeChunk(allowed, { sha1: filename.toLowerCase(), content: chunk })
          }),
      )
      return ok([])
    }).pipe((work) => slots.use(call.user.id, work))

  return { options, storeChunks }
})

const assemble: UploadHandler = (call) =>
  CalledBody.use(call, "artifacts.upload", Bodies.AssembleBody, (body) =>
    Effect.gen(function* () {
      const projects = yield* CalledProjects.named("artifacts.upload", call, body.projects)
      if (projects.length === 0) return yield* new BadBody({ reason: "projects is missing" })
      const release = body.version ?? null
      const assembled = yield* (yield* ArtifactUploads).assemble({
        checksum: body.checksum,
        chunks: body.chunks,
        projects,
        release,
        dist: body.dist ?? null,
        kind: "bundle",
      })
      if (assembled.state === "ok" && release !== null) {
        const changed = yield* CalledProjects.named("releases.change", call, body.projects)
        yield* (yield* Releases).ensure(changed, release)
      }
      return ok(assembled)
    }),
  )

/** Assembles several files, keyed by SHA-1. */
const assembleDebugFiles: UploadHandler = (call) =>
  CalledBody.use(call, "artifacts.upload", Bodies.DebugFilesBody, (body) =>
    Effect.gen(function* () {
      const uploads = yield* ArtifactUploads
      const files = Object.entries(body)
      if (files.length > maxFiles) {
        return yield* new BadBody({
          reason: `The request names ${files.length} files. Errata accepts at most ${maxFiles} per request.`,
        })
      }
      const projects = yield* CalledProjects.named("artifacts.upload", call)
      const answers = yield* Effect.forEach(files, ([checksum, file]) =>
        Effect.map(
          uploads.assemble({
            checksum,
            chunks: file.chunks,
            projects,
            release: null,
            dist: null,
            kind: "debug_file",
            name: file.name ?? null,
          }),
          (assembled) => [checksum, assembled] as const,
        ),
      )
      return ok(Object.fromEntries(answers))
    }),
  )

export const routesOf = ({
  options,
  storeChunks,
}: Effect.Success<typeof make>): ReadonlyArray<UploadRoute> => [
  { method: "GET", path: "organizations/:organization/chunk-upload", handle: options },
  { method: "POST", path: "organizations/:organization/chunk-upload", handle: storeChunks },
  { method: "POST", path: "organizations/:organization/artifactbundle/assemble", handle: assemble },
  { method: "POST", path: "projects/:organization/:project/files/difs/assemble", handle: assembleDebugFiles },
]

// internal

/** Each file may be an archive, which is read during the call. */
const maxFiles = 100

/** Each request holds a compressed chunk while it arrives and, briefly, the decompressed chunk. */
const maxRequests = 4

/** Upload clients send at most this many requests at a time. */
const maxRequestsOfUser = 3

/** Timeout for each piece of a body, and for waiting for a slot. */
const patience = "15 seconds"

/** Without `release_files` and `artifact_bundles_v2`, older clients upload files separately. */
const accept = [
  "debug_files",
  "release_files",
  "artifact_bundles",
  "artifact_bundles_v2",
  "pdbs",
  "portablepdbs",
  "sources",
  "bcsymbolmaps",
  "il2cpp",
  "proguard",
  "dartsymbolmap",
]
