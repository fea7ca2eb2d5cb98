/** Ports of a storage that keeps no uploads and no source maps. */
import { Effect, Layer } from "effect"
import { ArtifactStore } from "../artifact/ArtifactStore.js"
import { BlobStore } from "../artifact/BlobStore.js"
import { SourcemapReportStore } from "../mapping/SourcemapReportStore.js"
import { SourcemapStore } from "../sourcemap/SourcemapStore.js"
import { DiskUnmeasurable } from "../storage/DiskSpace.js"
import { done, empty, emptyPage, no, none, refusedBy, zero } from "./Answers.js"

const refused = refusedBy("source maps")

const artifacts = Layer.succeed(ArtifactStore, {
  findByChecksum: none,
  adopt: none,
  insert: refused("ArtifactStore.insert"),
  link: no,
  insertFailed: refused("ArtifactStore.insertFailed"),
  list: emptyPage,
  find: none,
  files: empty,
  debugIds: empty,
  remove: no,
  releaseFiles: emptyPage,
  replaceReleaseFile: refused("ArtifactStore.replaceReleaseFile"),
  removeReleaseFiles: zero,
  removeFailed: zero,
  removeOldest: zero,
  linkedReleases: empty,
  removeOfReleases: zero,
  announceBlobs: refused("ArtifactStore.announceBlobs"),
  storedBlobs: done,
  takeUnneeded: empty,
  forgetBlobs: done,
  blobBytes: Effect.succeed({ stored: 0, needed: 0 }),
  projectsWithFiles: () => Effect.succeed(new Set()),
  filesByDebugIds: empty,
  filesByNames: empty,
  markUsed: done,
  putChunk: refused("ArtifactStore.putChunk"),
  findChunks: empty,
  readChunk: none,
  openBytes: zero,
  settleChunks: done,
  removeStaleChunks: zero,
  leaseAssembly: refused("ArtifactStore.leaseAssembly"),
  releaseAssembly: done,
})

const blobs = Layer.succeed(BlobStore, {
  put: refused("BlobStore.put"),
  get: none,
  remove: done,
  disk: Effect.fail(new DiskUnmeasurable({ reason: "the storage keeps no uploads", why: "no_disk" })),
})

const origins = Layer.succeed(SourcemapStore, {
  insertOrigin: refused("SourcemapStore.insertOrigin"),
  lockOriginCount: zero,
  listOrigins: emptyPage,
  removeOrigin: no,
  findMap: none,
  claimMap: none,
  settleMap: done,
  releaseMap: done,
  expireMaps: zero,
})

const reports = Layer.succeed(SourcemapReportStore, {
  lease: empty,
  release: done,
  renew: done,
  postpone: done,
  find: none,
  settle: no,
  lock: refused("SourcemapReportStore.lock"),
  queue: refused("SourcemapReportStore.queue"),
  requeue: zero,
})

export const layer: Layer.Layer<ArtifactStore | BlobStore | SourcemapStore | SourcemapReportStore> =
  Layer.mergeAll(artifacts, blobs, origins, reports)
