/** Single files of a release, as older clients upload them. */
import {
  ArtifactBundleId,
  ArtifactUploads,
  type AuthorizedProject,
  ErrataConfig,
  type ReleaseFile,
  Releases,
} from "@errata/core"
import { Effect } from "effect"
import * as BodyPieces from "./BodyPieces.js"
import * as CalledProjects from "./CalledProjects.js"
import { nextPage, pageOf } from "./Listing.js"
import * as Parts from "./Parts.js"
import { iso } from "./ReleaseDocuments.js"
import * as Slots from "./Slots.js"
import { created, noContent, notFound, ok } from "./UploadAnswer.js"
import { BadBody, type UploadCall, type UploadHandler, type UploadRoute } from "./UploadCall.js"

export const make = Effect.gen(function* () {
  const { artifacts: limits } = yield* ErrataConfig
  // Each file is held in memory.
  const slots = Slots.make({ count: 2, perOwner: 1, patience })
  const maxFileBytes = Math.min(limits.maxFileBytes, maxHeldBytes)

  const store: UploadHandler = (call) =>
    Effect.gen(function* () {
      const version = call.params["version"]!
      yield* uploadable(call, version)
      const form = new Map<string, string>()
      const headers: Record<string, string> = {}
      const files: Array<Parts.Part> = []
      yield* Parts.read(
        { contentType: call.header("content-type"), pieces: BodyPieces.within(call.pieces, patience) },
        { maxParts, maxPartBytes: maxFileBytes, maxBytes: maxFileBytes + maxParts * 1024 },
        (part) =>
          Effect.sync(() => {
            if (part.name === "file") files.push(part)
            else {
              const text = Buffer.from(part.content).toString("utf8")
              const colon = text.indexOf(":")
              if (part.name !== "header") form.set(part.name, text)
              else if (colon > 0) headers[text.slice(0, colon).trim()] = text.slice(colon + 1).trim()
            }
          }),
      )
      const [file] = files
      if (file === undefined) return yield* new BadBody({ reason: "The body has no part named file" })
      const name = form.get("name") ?? file.filename ?? ""
      const dist = form.get("dist") ?? ""
      const uploaded = { name, dist: dist === "" ? null : dist, headers, content: file.content }
      return created(fileDocument(yield* call.asNow(keep(call, version, uploaded))))
    }).pipe((work) => slots.use(call.user.id, work))

  return { store }
})

/** Returns the projects with the version. Fails if there is none. */
const uploadable = (call: UploadCall, version: string) =>
  Effect.filterOrFail(
    CalledProjects.withVersion("artifacts.upload", call, version),
    (projects) => projects.length > 0,
    () => new BadBody({ reason: `No project of yours has a release '${version.slice(0, 200)}'` }),
  )

const keep = (
  call: UploadCall,
  version: string,
  file: Parameters<ArtifactUploads["Service"]["storeFile"]>[2],
) =>
  Effect.gen(function* () {
    const uploads = yield* ArtifactUploads
    const [kept] = yield* Effect.forEach(yield* uploadable(call, version), (project) =>
      uploads.storeFile(project, version, file),
    )
    const changed = yield* CalledProjects.withVersion("releases.change", call, version)
    yield* (yield* Releases).ensure(changed, version)
    return kept!
  })

/** Empty for a checksum: clients omit listed files from a bundle, but a bundle must be complete. */
const list: UploadHandler = (call) =>
  Effect.gen(function* () {
    const version = call.params["version"]!
    const [project] = yield* CalledProjects.withVersion("artifacts.read", call, version)
    if (project === undefined || call.query.has("checksum")) return ok([])
    const page = yield* (yield* ArtifactUploads).listFiles(project, version, pageOf(call))
    return ok(page.items.map(fileDocument), nextPage(call, page))
  })

const remove: UploadHandler = (call) =>
  Effect.gen(function* () {
    const { file, version } = call.params
    const id = /^\d{1,15}$/.test(file!) ? Number(file) : 0
    if (id === 0) return notFound
    const projects = yield* CalledProjects.withVersion("artifacts.administer", call, version!)
    const uploads = yield* ArtifactUploads
    // The file belongs to one of the projects.
    const [first, ...others] = projects.map((project) =>
      uploads.deleteFile(project, version!, ArtifactBundleId.make(id)),
    )
    if (first === undefined) return notFound
    yield* others.reduce((one, other) => Effect.catchTag(one, "ArtifactBundleNotFound", () => other), first)
    return noContent
  })

const removeAll: UploadHandler = (call) =>
  Effect.gen(function* () {
    const version = call.query.get("name")
    if (version === null) return yield* new BadBody({ reason: "name is missing" })
    const projects: ReadonlyArray<AuthorizedProject<"artifacts.administer">> = yield* CalledProjects.named(
      "artifacts.administer",
      call,
    )
    const uploads = yield* ArtifactUploads
    yield* Effect.forEach(projects, (project) => uploads.deleteFiles(project, version), { discard: true })
    return noContent
  })

const scopes = ["organizations/:organization", "projects/:organization/:project"]

export const routesOf = ({ store }: Effect.Success<typeof make>): ReadonlyArray<UploadRoute> => [
  ...scopes.flatMap((scope): ReadonlyArray<UploadRoute> => {
    const files = `${scope}/releases/:version/files`
    return [
      { method: "GET", path: files, handle: list },
      { method: "POST", path: files, handle: store },
      { method: "DELETE", path: `${files}/:file`, handle: remove },
    ]
  }),
  {
    method: "DELETE",
    path: "projects/:organization/:project/files/source-maps",
    handle: removeAll,
  },
]

// internal

/** Limit for one file in memory. Current clients upload bundles. */
const maxHeldBytes = 40 * 1024 * 1024

const maxParts = 50

/** Timeout for each piece of a body, and for waiting for a slot. */
const patience = "15 seconds"

const fileDocument = (file: ReleaseFile) => ({
  id: String(file.id),
  name: file.name,
  dist: file.dist,
  headers: {
    ...(file.mapReference === null ? {} : { Sourcemap: file.mapReference }),
    ...(file.debugId === null ? {} : { "debug-id": file.debugId }),
  },
  size: file.size,
  sha1: file.sha1,
  dateCreated: iso(file.createdAt),
})
