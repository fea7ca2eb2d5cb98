/** Uploads of build tools and their artifacts. */
import {
  AccessPolicy,
  Actor,
  Artifacts,
  ArtifactUploads,
  CurrentActor,
  ErrataConfig,
  type ErrataSettings,
  type ProjectId,
  type User,
} from "@errata/core"
import { ArtifactArrivals, ArtifactJob } from "@errata/core/internal"
import { ArtifactStore, BlobStore, type BundleFile, BundleReader, DiskSpace } from "@errata/core/ports"
import { advance, contractCase, Factory, Given, onRealClock, onSecondNode, TestBundle } from "@errata/testing"
import { Effect, Layer } from "effect"
import { expect } from "vitest"
import type { ArtifactArrival } from "../../src/artifact/ArtifactArrivals.js"
import { onStorages } from "../support/storages.js"

const services = (bundles: Layer.Layer<never>) =>
  Layer.mergeAll(ArtifactUploads.Default, Artifacts.Default).pipe(
    Layer.provideMerge(AccessPolicy.layer),
    Layer.provide(bundles),
  )

const chunkBytes = 1024

/** Runs as a user or the system, with chunk sizes and limits that tests can reach. */
const as =
  (
    user: User | null,
    limits: Partial<ErrataSettings["artifacts"]> = {},
    bundles: Layer.Layer<never> = TestBundle.layer,
  ) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(ErrataConfig, (config) =>
      effect.pipe(
        Effect.provide(services(bundles)),
        Effect.provideService(CurrentActor, user === null ? Actor.System() : Actor.Person({ user })),
        Effect.provideService(ErrataConfig, {
          ...config,
          artifacts: {
            ...config.artifacts,
            chunkBytes,
            maxBundleBytes: 100 * chunkBytes,
            maxOpenBytes: 60 * chunkBytes,
            ...limits,
          },
        }),
      ),
    )

/** A bundle with unique contents. */
const bundleOf = (...files: ReadonlyArray<TestBundle.TestBundleFile>) => {
  const content = TestBundle.bytesOf([...files, { type: "source", url: `~/${Factory.hash()}` }])
  const pieces = TestBundle.slices(content, chunkBytes)
  return { checksum: TestBundle.sha1(content), pieces, chunks: pieces.map(TestBundle.sha1) }
}
type Bundle = Pick<ReturnType<typeof bundleOf>, "checksum" | "chunks">

const assemble = (
  { checksum, chunks }: Bundle,
  projectIds: ReadonlyArray<ProjectId>,
  overrides: {
    readonly release?: string
    readonly dist?: string
    readonly kind?: "debug_file"
    readonly name?: string
  } = {},
) =>
  Effect.gen(function* () {
    const projects = yield* Effect.forEach(projectIds, (id) => AccessPolicy.project("artifacts.upload", id))
    const given = { release: null, dist: null, kind: "bundle" as const, ...overrides }
    return yield* (yield* ArtifactUploads).assemble({ checksum, chunks, projects, ...given })
  })

const send = Effect.fnUntraced(function* (pieces: ReadonlyArray<Uint8Array>) {
  const allowed = yield* AccessPolicy.instance("chunks.upload")
  const uploads = yield* ArtifactUploads
  for (const content of pieces) {
    yield* uploads.storeChunk(allowed, { sha1: TestBundle.sha1(content), content })
  }
})

const list = Effect.fnUntraced(function* (projectId: ProjectId) {
  const project = yield* AccessPolicy.project("artifacts.read", projectId)
  return (yield* (yield* Artifacts).list(project, { limit: 100, cursor: null })).items
})

const ok = { state: "ok", missingChunks: [], detail: null }

/** Deletes contents without a bundle, which are kept for an hour. */
const expireAfterAnHour = Effect.orDie(Effect.andThen(advance("61 minutes"), ArtifactJob.expire))

const fileOf = (url: string, content: Uint8Array, before: Effect.Effect<unknown>): BundleFile => ({
  type: "source",
  url,
  debugId: null,
  mapReference: null,
  size: content.byteLength,
  content: Effect.as(before, content),
})

/** A member of new projects. */
const given = Effect.fnUntraced(function* (projects = 1) {
  const projectIds: Array<ProjectId> = []
  for (let i = 0; i < projects; i++) projectIds.push((yield* Given.project()).id)
  const user = yield* Given.member(projectIds)
  return { projectIds, projectId: projectIds[0]!, user }
})

onStorages("ArtifactUploads", [
  contractCase(
    "requests missing chunks, assembles a bundle, and requests nothing the next time",
    Effect.gen(function* () {
      const { projectId, user } = yield* given()
      const id = Factory.debugId()
      const map = { debugId: id, url: "~/a.js.map", content: "m".repeat(5000) }
      const bundle = bundleOf(map)
      expect(bundle.pieces.length).toBeGreaterThan(3)
      yield* Effect.gen(function* () {
        const first = yield* assemble(bundle, [projectId], { release: "1.0", dist: "7" })
        const chunks = [...new Set(bundle.chunks)]
        expect(first).toEqual({ state: "not_found", missingChunks: chunks, detail: null })
        expect(yield* list(projectId)).toEqual([])
        yield* send(bundle.pieces.slice(1))
        const second = yield* assemble(bundle, [projectId], { release: "1.0", dist: "7" })
        expect(second).toEqual({ ...first, missingChunks: chunks.slice(0, 1) })
        yield* send(bundle.pieces.slice(0, 1))
        expect(yield* assemble(bundle, [projectId], { release: "1.0", dist: "7" })).toEqual(ok)
        expect(yield* assemble(bundle, [projectId], { release: "1.0", dist: "7" })).toEqual(ok)
        const bundles = yield* list(projectId)
        expect(bundles).toMatchObject([
          {
            state: "ok",
            kind: "bundle",
            filesCount: 2,
            uploadedBy: user.id,
            links: [{ release: "1.0", dist: "7" }],
            detail: null,
          },
        ])
        const project = yield* AccessPolicy.project("artifacts.read", projectId)
        const { files } = yield* (yield* Artifacts).get(project, bundles[0]!.id)
        expect(files[0]).toMatchObject({ url: "~/a.js.map", debugId: id, size: 5000 })
      }).pipe(as(user))
      const [found] = yield* (yield* ArtifactStore).filesByDebugIds(projectId, [id])
      expect(found).toMatchObject({ url: "~/a.js.map", type: "source_map", size: 5000 })
      const content = yield* Effect.fromOption(yield* (yield* BlobStore).get(found!.blob))
      expect(Buffer.from(content).toString()).toBe(map.content)
    }),
  ),

  contractCase(
    "links a stored bundle to more projects, releases and dists, and publishes arrivals",
    Effect.gen(function* () {
      const { projectIds, user } = yield* given(2)
      const [mine, other] = projectIds as [ProjectId, ProjectId]
      const id = Factory.debugId()
      const bundle = bundleOf({ debugId: id })
      const arrivals: Array<ArtifactArrival> = []
      const listening = Layer.succeed(ArtifactArrivals, {
        arrived: (arrival: ArtifactArrival) => Effect.sync(() => void arrivals.push(arrival)),
      })
      yield* Effect.gen(function* () {
        yield* send(bundle.pieces)
        for (const release of ["1.0", "1.0", "2.0"]) {
          expect(yield* assemble(bundle, [mine], { release })).toEqual(ok)
        }
        expect(yield* assemble(bundle, [other, mine, other])).toEqual(ok)
        expect(yield* list(other)).toMatchObject([{ links: [{ release: null, dist: null }] }])
        expect((yield* list(mine))[0]!.links.map(({ release }) => release)).toEqual([null, "1.0", "2.0"])
      }).pipe(as(user), Effect.provide(listening))
      expect(arrivals).toEqual([
        { projectId: mine, release: "1.0", dist: null, debugIds: [id] },
        { projectId: mine, release: "2.0", dist: null, debugIds: [id] },
        { projectId: mine, release: null, dist: null, debugIds: [id] },
        { projectId: other, release: null, dist: null, debugIds: [id] },
      ])
    }),
  ),

  contractCase(
    "treats uploads of other users as missing, except bundles in a project that the user can access",
    Effect.gen(function* () {
      const mine = yield* given()
      const theirs = yield* given()
      const bundle = bundleOf()
      yield* send(bundle.pieces).pipe(as(theirs.user))
      const ask = assemble(bundle, [mine.projectId]).pipe(as(mine.user))
      expect((yield* ask).state).toBe("not_found")
      expect(yield* assemble(bundle, [theirs.projectId]).pipe(as(theirs.user))).toEqual(ok)
      expect((yield* ask).state).toBe("not_found")
      const both = yield* Given.member([mine.projectId, theirs.projectId])
      expect(yield* assemble(bundle, [mine.projectId]).pipe(as(both))).toEqual(ok)
    }),
  ),

  contractCase(
    "rejects chunks with a wrong checksum, too large chunks, and too many",
    Effect.gen(function* () {
      const { user } = yield* given()
      yield* Effect.gen(function* () {
        const allowed = yield* AccessPolicy.instance("chunks.upload")
        const { storeChunk } = yield* ArtifactUploads
        const refused = (content: Uint8Array, sha1 = TestBundle.sha1(content)) =>
          Effect.map(Effect.flip(storeChunk(allowed, { sha1, content })), (error) =>
            error._tag === "ValidationError" ? Object.keys(error.errors) : error,
          )
        const content = new Uint8Array(chunkBytes)
        expect(yield* refused(content, "0".repeat(40))).toEqual(["sha1"])
        expect(yield* refused(content, TestBundle.sha1(content).toUpperCase())).toEqual(["sha1"])
        expect(yield* refused(new Uint8Array(chunkBytes + 1))).toEqual(["content"])
        for (let i = 0; i < 60; i++) yield* send([content.map(() => i)])
        expect(yield* refused(content.map(() => 61))).toEqual(["content"])
        yield* send([content.map(() => 7)])
      }).pipe(as(user))
    }),
  ),

  contractCase(
    "stores the error of an invalid bundle, and accepts a valid one",
    Effect.gen(function* () {
      const { projectIds, user } = yield* given(2)
      const [mine, other] = projectIds as [ProjectId, ProjectId]
      yield* Effect.gen(function* () {
        const broken = new TextEncoder().encode(`no bundle ${Factory.hash()}`)
        yield* send([broken])
        const sha1 = TestBundle.sha1(broken)
        const refused = yield* assemble({ checksum: sha1, chunks: [sha1] }, [mine, other], { release: "1" })
        expect(refused).toEqual({
          state: "error",
          missingChunks: [],
          detail: "The bundle is not a test bundle",
        })
        for (const projectId of projectIds) {
          expect(yield* list(projectId)).toMatchObject([
            {
              state: "failed",
              detail: refused.detail,
              checksum: sha1,
              size: broken.byteLength,
              links: [{ release: "1", dist: null }],
              uploadedBy: user.id,
            },
          ])
        }

        const { checksum, chunks, pieces } = bundleOf({ content: "x".repeat(2000) })
        yield* send(pieces)
        const swapped = yield* assemble({ checksum, chunks: [...chunks].reverse() }, [mine])
        expect(swapped).toMatchObject({ state: "error", detail: expect.stringContaining("SHA-1") })
        expect(yield* list(mine)).toHaveLength(2)
        expect(yield* assemble({ checksum, chunks }, [mine])).toEqual(ok)
        expect((yield* list(mine)).map(({ state }) => state)).toEqual(["ok", "failed"])

        const chunksOfHuge = Array.from({ length: 101 }, () => Factory.hash().slice(0, 40))
        const huge = { checksum: Factory.hash().slice(0, 40), chunks: chunksOfHuge }
        expect(yield* assemble(huge, [mine])).toMatchObject({
          state: "error",
          detail: expect.stringContaining("larger than"),
        })
      }).pipe(as(user))
    }),
  ),

  contractCase(
    "accepts the chunk count that the chunk size sent to clients implies",
    Effect.gen(function* () {
      const { projectId, user } = yield* given()
      const bundle = bundleOf({ content: "x".repeat(2000) })
      expect(bundle.chunks).toHaveLength(3)
      // Clients get a power of two as the chunk size, so three of their chunks are two of the configured size.
      const limits = { chunkBytes: chunkBytes * 1.5, maxBundleBytes: 3 * chunkBytes }
      yield* send(bundle.pieces).pipe(as(user, limits))
      expect(yield* assemble(bundle, [projectId]).pipe(as(user, limits))).toEqual(ok)
    }),
  ),

  contractCase(
    "requests all chunks of a removed bundle again",
    Effect.gen(function* () {
      const { projectId, user } = yield* given()
      const bundle = bundleOf()
      yield* Effect.gen(function* () {
        yield* send(bundle.pieces)
        expect(yield* assemble(bundle, [projectId])).toEqual(ok)
      }).pipe(as(user))
      yield* Effect.gen(function* () {
        const project = yield* AccessPolicy.project("artifacts.administer", projectId)
        const { id } = (yield* list(projectId))[0]!
        yield* (yield* Artifacts).remove(project, id)
        expect((yield* Effect.flip((yield* Artifacts).remove(project, id)))._tag).toBe(
          "ArtifactBundleNotFound",
        )
        expect((yield* assemble(bundle, [projectId])).state).toBe("not_found")
      }).pipe(as(null))
    }),
  ),

  contractCase(
    "creates one bundle if two nodes assemble an upload concurrently",
    Effect.gen(function* () {
      const { projectId, user } = yield* given()
      const bundle = bundleOf({ content: "x".repeat(10_000) })
      yield* send(bundle.pieces).pipe(as(user))
      const one = onRealClock(assemble(bundle, [projectId], { release: "1" }).pipe(as(user)))
      const answers = yield* Effect.all([one, onSecondNode(one), one, onSecondNode(one)], {
        concurrency: "unbounded",
      })
      expect(answers).toEqual([ok, ok, ok, ok])
      expect(yield* list(projectId).pipe(as(user))).toMatchObject([{ state: "ok", filesCount: 2 }])
    }),
  ),

  contractCase(
    "finds a script and its map by each id of the script, and warns that there are several",
    Effect.gen(function* () {
      const { projectId, user } = yield* given()
      const [named, injected, comment] = [Factory.debugId(), Factory.debugId(), Factory.debugId()]
      const bundle = bundleOf(
        {
          type: "minified_source",
          url: "~/a.js",
          debugId: named,
          content:
            `!function(){try{var e=self;e._sentryDebugIds=e._sentryDebugIds||{},e._sentryDebugIds[n]="${injected}",` +
            `e._sentryDebugIdIdentifier="sentry-dbid-${injected}"}catch(e){}}();f()\n//# debugId=${comment}\n`,
        },
        { url: "~/a.js.map", debugId: named, content: "{}" },
      )
      yield* Effect.gen(function* () {
        yield* send(bundle.pieces)
        expect(yield* assemble(bundle, [projectId])).toEqual(ok)
        expect((yield* list(projectId))[0]!.detail).toContain("~/a.js")
      }).pipe(as(user))
      const files = yield* ArtifactStore
      for (const id of [named, injected]) {
        const found = yield* files.filesByDebugIds(projectId, [id])
        expect(found.map(({ debugId, url }) => [url, debugId])).toEqual([
          ["~/a.js", id],
          ["~/a.js.map", id],
        ])
      }
      expect(yield* files.filesByDebugIds(projectId, [comment])).toEqual([])
    }),
  ),

  contractCase(
    "rejects unusable debug files, and accepts source bundles among them",
    Effect.gen(function* () {
      const { projectId, user } = yield* given()
      const kind = "debug_file"
      yield* Effect.gen(function* () {
        const native = new TextEncoder().encode(`ELF ${Factory.hash()}`)
        const sha1 = TestBundle.sha1(native)
        // Before any chunk is sent, and without storing anything.
        for (const name of ["prog", "/proguard/1.txt"]) {
          expect(yield* assemble({ checksum: sha1, chunks: [sha1] }, [projectId], { kind, name })).toEqual({
            state: "error",
            missingChunks: [],
            detail: expect.stringContaining("cannot use this file"),
          })
        }
        expect(yield* list(projectId)).toEqual([])

        const nameless = TestBundle.bytesOf([{ type: "source", content: Factory.hash() }])
        yield* send([nameless])
        const checksum = TestBundle.sha1(nameless)
        const upload = { checksum, chunks: [checksum] }
        const name = "prog.src.zip"
        expect(yield* assemble(upload, [projectId], { kind, name })).toMatchObject({ state: "error" })

        const sources = bundleOf({ url: "~/a.js" })
        yield* send(sources.pieces)
        expect(yield* assemble(sources, [projectId], { kind, name })).toEqual(ok)
        expect(yield* assemble(sources, [projectId], { kind, name })).toEqual(ok)
        expect((yield* list(projectId))[0]).toMatchObject({ kind, name, state: "ok", filesCount: 2 })
      }).pipe(as(user))
    }),
  ),

  contractCase(
    "stores single files by name and dist",
    Effect.gen(function* () {
      const { projectId, user } = yield* given()
      const id = Factory.debugId()
      const content = new TextEncoder().encode("f()")
      yield* Effect.gen(function* () {
        const uploads = yield* ArtifactUploads
        const project = yield* AccessPolicy.project("artifacts.upload", projectId)
        const reading = yield* AccessPolicy.project("artifacts.read", projectId)
        const upload = (name: string, dist: string | null, headers: Readonly<Record<string, string>> = {}) =>
          uploads.storeFile(project, "app@1.0+2", { name, dist, headers, content })
        const headers = { Sourcemap: "a.js.map", "Debug-Id": id.toUpperCase() }
        const file = yield* upload("~/a.js", null, headers)
        expect(file).toMatchObject({
          name: "~/a.js",
          dist: null,
          mapReference: "a.js.map",
          debugId: id,
          size: 3,
          sha1: TestBundle.sha1(content),
        })
        const again = yield* upload("~/a.js", null, headers)
        expect(again.id).not.toBe(file.id)
        const dist = yield* upload("~/a.js", "7")
        const files = Effect.map(
          uploads.listFiles(reading, "app@1.0+2", { limit: 10, cursor: null }),
          ({ items }) => items,
        )
        expect(yield* files).toEqual([dist, again])
        expect((yield* Effect.flip(upload("", null)))._tag).toBe("ValidationError")
        const admin = yield* AccessPolicy.project("artifacts.administer", projectId).pipe(
          Effect.provideService(CurrentActor, Actor.System()),
        )
        yield* uploads.deleteFile(admin, "app@1.0+2", dist.id)
        expect((yield* Effect.flip(uploads.deleteFile(admin, "app@1.0+2", dist.id)))._tag).toBe(
          "ArtifactBundleNotFound",
        )
        expect(yield* uploads.deleteFiles(admin, "app@1.0+2")).toBe(1)
        expect(yield* files).toEqual([])
      }).pipe(as(user))
    }),
  ),

  contractCase(
    "validates its input, and rejects projects that the user cannot access",
    Effect.gen(function* () {
      const { projectId, user } = yield* given()
      const theirs = yield* given()
      const bundle = bundleOf()
      yield* Effect.gen(function* () {
        const refused = (upload: ReturnType<typeof assemble>) =>
          Effect.map(Effect.flip(upload), (error) =>
            error._tag === "ValidationError" ? Object.keys(error.errors) : error._tag,
          )
        expect(yield* refused(assemble(bundle, []))).toEqual(["projects"])
        expect(yield* refused(assemble({ ...bundle, checksum: "x" }, [projectId]))).toEqual(["checksum"])
        expect(yield* refused(assemble({ ...bundle, chunks: ["../x"] }, [projectId]))).toEqual(["chunks"])
        const repeated = Array<string>(9).fill(bundle.chunks[0]!)
        expect(yield* refused(assemble({ ...bundle, chunks: repeated }, [projectId]))).toEqual(["chunks"])
        expect(yield* list(projectId)).toEqual([])
        for (const release of ["", "a\nb", "x".repeat(201), "\u{1F600}".repeat(63), "a\uD800"]) {
          expect(yield* refused(assemble(bundle, [projectId], { release }))).toEqual(["release"])
        }
        for (const dist of ["", "x".repeat(65), "\0"]) {
          expect(yield* refused(assemble(bundle, [projectId], { dist }))).toEqual(["dist"])
        }
        expect(yield* refused(assemble(bundle, [projectId, theirs.projectId]))).toBe("ProjectNotFound")
      }).pipe(as(user))
    }),
  ),

  contractCase(
    "rejects uploads while the free disk space is below the limit of ingest protection",
    Effect.gen(function* () {
      const { projectId, user } = yield* given()
      const bundle = bundleOf()
      yield* send(bundle.pieces).pipe(as(user))
      const use = { totalBytes: 1e12, freeBytes: 1e9 }
      yield* Effect.gen(function* () {
        const paused = { _tag: "ArtifactUploadsPaused", reason: "disk" }
        expect(yield* Effect.flip(send(bundle.pieces))).toMatchObject(paused)
        expect(yield* Effect.flip(assemble(bundle, [projectId]))).toMatchObject(paused)
      }).pipe(as(user), Effect.provideService(DiskSpace, { measure: Effect.succeed(use) }))
      expect(yield* assemble(bundle, [projectId]).pipe(as(user))).toEqual(ok)
    }),
  ),

  contractCase(
    "requests another upload if reading takes so long that stored files may have been removed",
    Effect.gen(function* () {
      const { projectId, user } = yield* given()
      const bundle = bundleOf()
      const context = yield* Effect.context<Effect.Services<typeof expireAfterAnHour>>()
      const files = [
        // Large enough to be written before the next file is read.
        fileOf("~/first", new Uint8Array(4 * 1024 * 1024).fill(7), Effect.void),
        fileOf("~/second", new Uint8Array(1), Effect.provide(expireAfterAnHour, context)),
      ]
      const slow = Layer.succeed(BundleReader, { open: () => Effect.succeed({ note: null, files }) })
      yield* send(bundle.pieces).pipe(as(user))
      const upload = assemble(bundle, [projectId]).pipe(as(user, {}, slow))
      expect(yield* Effect.flip(upload)).toMatchObject({ _tag: "ArtifactUploadsPaused", reason: "slow" })
      expect(yield* list(projectId).pipe(as(user))).toEqual([])
    }),
  ),

  contractCase(
    "adds a bundle to all projects or none",
    Effect.gen(function* () {
      const { projectIds, user } = yield* given(2)
      const bundle = bundleOf()
      const failing = Layer.succeed(ArtifactArrivals, {
        arrived: ({ projectId }: ArtifactArrival) =>
          projectId === projectIds[1] ? Effect.die("no more") : Effect.void,
      })
      yield* send(bundle.pieces).pipe(as(user))
      const upload = assemble(bundle, projectIds)
      expect((yield* Effect.exit(upload.pipe(as(user), Effect.provide(failing))))._tag).toBe("Failure")
      for (const projectId of projectIds) expect(yield* list(projectId).pipe(as(user))).toEqual([])
      expect(yield* upload.pipe(as(user))).toEqual(ok)
      for (const projectId of projectIds) expect(yield* list(projectId).pipe(as(user))).toHaveLength(1)
    }),
  ),
])
