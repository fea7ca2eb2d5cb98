/** Artifact bundles: storing, finding, listing, sharing and removing. */
import type { ProjectId } from "@errata/core"
import { ArtifactStore, type NewArtifactBundle, ProjectStore, Storage } from "@errata/core/ports"
import { DateTime, Deferred, Effect, Fiber, Option } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"
import { idOf, readPages } from "./internal/Paging.js"

const insert = (projectId: ProjectId, overrides: Partial<NewArtifactBundle> = {}) =>
  Effect.gen(function* () {
    return yield* (yield* ArtifactStore).insert(
      Factory.newArtifactBundle(projectId, overrides),
      yield* DateTime.now,
    )
  })

const none = { release: null, dist: null }
const firstPage = { limit: 10, cursor: null }

export const artifactStoreSuite: ContractSuite = {
  name: "ArtifactStore",
  cases: [
    contractCase(
      "keeps a bundle as inserted, with its files, releases and dists",
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const { id: projectId } = yield* Given.project()
        const { id: uploadedBy } = yield* Given.user()
        const other = (yield* Given.project()).id
        const files = [
          Factory.newArtifactFile({
            type: "minified_source",
            url: "~/a.js",
            debugId: Factory.debugId(),
            mapReference: "a.js.map",
          }),
          Factory.newArtifactFile({
            url: null,
            otherDebugIds: [Factory.debugId(), Factory.debugId()],
            size: 3_000_000_000,
          }),
        ]
        const given = Factory.newArtifactBundle(projectId, {
          uploadedBy,
          files,
          name: "n",
          note: "o",
          detail: "d",
          size: 5e9,
        })
        const now = yield* DateTime.now
        const id = yield* store.insert(given, now)
        expect(yield* store.link({ projectId, bundleId: id }, { release: "b", dist: null }, now)).toBe(true)
        expect(yield* store.link({ projectId, bundleId: id }, { release: "a", dist: "2" }, now)).toBe(true)
        expect(yield* store.link({ projectId, bundleId: id }, none, now)).toBe(true)
        expect(yield* store.link({ projectId, bundleId: id }, { release: "a", dist: "2" }, now)).toBe(false)
        expect(yield* store.link({ projectId: other, bundleId: id }, none, now)).toBe(false)
        const { files: _, ...rest } = given
        const expected = {
          ...rest,
          id,
          state: "ok",
          filesCount: 2,
          links: [none, { release: "a", dist: "2" }, { release: "b", dist: null }],
          createdAt: now,
          uploadedAt: now,
          lastUsedAt: null,
        }
        expect(Option.getOrNull(yield* store.find(projectId, id))).toEqual(expected)
        expect((yield* store.list(projectId, firstPage)).items).toEqual([expected])
        expect(Option.isNone(yield* store.find(other, id))).toBe(true)
        expect((yield* store.list(other, firstPage)).items).toEqual([])
        const listed = files.map(({ debugId, mapReference, size, type, url }) => ({
          type,
          url,
          debugId,
          mapReference,
          size,
        }))
        expect(yield* store.files(projectId, id, 10)).toEqual(listed)
        expect(yield* store.files(projectId, id, 1)).toEqual(listed.slice(0, 1))
        expect(yield* store.files(other, id, 10)).toEqual([])
        expect([...(yield* store.debugIds({ projectId, bundleId: id }))].sort()).toEqual(
          [files[0]!.debugId, ...files[1]!.otherDebugIds].sort(),
        )
        expect(yield* store.linkedReleases(projectId).pipe(Effect.map((all) => [...all].sort()))).toEqual([
          "a",
          "b",
        ])
      }),
    ),

    contractCase(
      "stores a checksum once per project and kind, and release files on each upload",
      Effect.gen(function* () {
        const { id: mine } = yield* Given.project()
        const { id: theirs } = yield* Given.project()
        const checksum = Factory.hash().slice(0, 40)
        const first = yield* insert(mine, { checksum })
        const again = yield* Effect.all(
          [insert(mine, { checksum }), onSecondNode(insert(mine, { checksum }))],
          {
            concurrency: "unbounded",
          },
        )
        expect(again).toEqual([first, first])
        expect(yield* insert(theirs, { checksum })).not.toBe(first)
        expect(yield* insert(mine, { checksum, kind: "debug_file" })).not.toBe(first)
        const releaseFile = insert(mine, { checksum, kind: "release_file" })
        expect(yield* releaseFile).not.toBe(yield* releaseFile)
      }),
    ),

    contractCase(
      "finds a checksum in the given projects, except deleted ones",
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const { id: mine } = yield* Given.project()
        const { id: theirs } = yield* Given.project()
        const checksum = Factory.hash().slice(0, 40)
        const bundleId = yield* insert(mine, { checksum })
        const found = (only: ReadonlyArray<number> | null, kind: "bundle" | "debug_file" = "bundle") =>
          Effect.map(store.findByChecksum(kind, checksum, only), Option.getOrNull)
        expect(yield* found([mine, theirs])).toEqual({ projectId: mine, bundleId })
        expect(yield* found(null)).toEqual({ projectId: mine, bundleId })
        expect(yield* found([theirs])).toBeNull()
        expect(yield* found([])).toBeNull()
        expect(yield* found([mine], "debug_file")).toBeNull()
        yield* (yield* ProjectStore).remove(mine, yield* DateTime.now)
        expect(yield* found(null)).toBeNull()
      }),
    ),

    contractCase(
      "adopts a bundle of another project once, and no removed or failed bundle",
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const { id: mine } = yield* Given.project()
        const { id: theirs } = yield* Given.project()
        const [id, other] = [Factory.debugId(), Factory.debugId()]
        const checksum = Factory.hash().slice(0, 40)
        yield* store.insertFailed(Factory.newArtifactBundle(theirs, { checksum }), none, yield* DateTime.now)
        const given = Factory.newArtifactFile({ debugId: id, otherDebugIds: [other] })
        const bundleId = yield* insert(mine, { checksum, files: [given] })
        const from = { projectId: mine, bundleId }
        const adopt = Effect.flatMap(DateTime.now, (now) => store.adopt(from, theirs, null, now))
        const copy = yield* Effect.fromOption(yield* adopt)
        expect(copy.isNew).toBe(true)
        expect(yield* adopt).toEqual(Option.some({ id: copy.id, isNew: false }))
        expect(yield* store.adopt(from, mine, null, yield* DateTime.now)).toEqual(
          Option.some({ id: bundleId, isNew: false }),
        )
        expect((yield* store.list(theirs, firstPage)).items).toMatchObject([
          { id: copy.id, state: "ok", filesCount: 1, links: [] },
        ])
        for (const wanted of [id, other]) {
          expect(yield* store.filesByDebugIds(theirs, [wanted])).toMatchObject([
            { bundleId: copy.id, blob: given.blob, debugId: wanted },
          ])
        }
        yield* store.remove(mine, bundleId)
        expect(Option.isNone(yield* store.adopt(from, mine, null, yield* DateTime.now))).toBe(true)
        expect(yield* store.filesByDebugIds(theirs, [id])).toHaveLength(1)
      }),
    ),

    contractCase(
      "blocks the removal of a bundle until the adopting transaction ends",
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const { transaction } = yield* Storage
        const { id: mine } = yield* Given.project()
        const { id: theirs } = yield* Given.project()
        const bundleId = yield* insert(mine)
        const order: Array<string> = []
        const isAdopted = yield* Deferred.make<void>()
        // Forked outside, so that it is not part of the transaction.
        const removal = yield* Deferred.await(isAdopted).pipe(
          Effect.andThen(
            onSecondNode(Effect.flatMap(ArtifactStore, (other) => other.remove(mine, bundleId))),
          ),
          Effect.tap((isRemoved) => Effect.sync(() => order.push(isRemoved ? "removed" : "not there"))),
          Effect.forkChild,
        )
        yield* transaction(
          Effect.gen(function* () {
            const from = { projectId: mine, bundleId }
            const adopted = yield* store.adopt(from, theirs, null, yield* DateTime.now)
            expect(Option.isSome(adopted)).toBe(true)
            yield* Deferred.succeed(isAdopted, undefined)
            yield* Effect.yieldNow
            // Read in the transaction, where it still exists.
            expect(Option.isSome(yield* store.find(mine, bundleId))).toBe(true)
            order.push("adopted")
          }),
        )
        yield* Fiber.join(removal)
        expect(order).toEqual(["adopted", "removed"])
        expect((yield* store.list(theirs, firstPage)).items).toHaveLength(1)
      }),
    ),

    contractCase(
      "stores the last failure of each checksum until a bundle succeeds",
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const { id: projectId } = yield* Given.project()
        const given = Factory.newArtifactBundle(projectId, { detail: "first" })
        const link = { release: "1.0", dist: "7" }
        yield* store.insertFailed(given, link, yield* DateTime.now)
        yield* store.insertFailed({ ...given, detail: "second" }, link, yield* DateTime.now)
        const { items } = yield* store.list(projectId, firstPage)
        expect(items).toMatchObject([{ state: "failed", detail: "second", filesCount: 0, links: [link] }])
        expect(Option.isNone(yield* store.findByChecksum("bundle", given.checksum, [projectId]))).toBe(true)
        const place = { projectId, bundleId: items[0]!.id }
        expect(Option.isNone(yield* store.adopt(place, projectId, null, yield* DateTime.now))).toBe(true)
        yield* insert(projectId, { checksum: given.checksum })
        expect((yield* store.list(projectId, firstPage)).items).toMatchObject([{ state: "ok" }])
      }),
    ),

    contractCase(
      "lists bundles newest first, page by page",
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const { id: projectId } = yield* Given.project()
        const ids: Array<number> = []
        for (let i = 0; i < 5; i++) ids.push(yield* insert(projectId))
        const pages = yield* readPages(2, (page) => store.list(projectId, page), insert(projectId))
        const [a, b, c, d, e] = ids
        expect(pages.map((page) => page.map(idOf))).toEqual([[e, d], [c, b], [a]])
      }),
    ),

    contractCase(
      "removes a bundle of the project with its files, once",
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const { id: mine } = yield* Given.project()
        const { id: theirs } = yield* Given.project()
        const [id, other] = [Factory.debugId(), Factory.debugId()]
        const bundleId = yield* insert(mine, {
          files: [Factory.newArtifactFile({ debugId: id, otherDebugIds: [other] })],
        })
        yield* store.link({ projectId: mine, bundleId }, { release: "1", dist: null }, yield* DateTime.now)
        expect(yield* store.remove(theirs, bundleId)).toBe(false)
        expect(yield* store.projectsWithFiles([mine, theirs])).toEqual(new Set([mine]))
        expect(yield* store.remove(mine, bundleId)).toBe(true)
        expect(yield* store.remove(mine, bundleId)).toBe(false)
        expect(yield* store.filesByDebugIds(mine, [id, other])).toEqual([])
        expect(yield* store.filesByNames(mine, "1", "", ["~/app.js.map"])).toEqual([])
        expect(yield* store.projectsWithFiles([mine, theirs])).toEqual(new Set())
        expect(yield* store.linkedReleases(mine)).toEqual([])
      }),
    ),

    contractCase(
      "keeps files of releases by name and dist, the last one of each",
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const { id: projectId } = yield* Given.project()
        const replace = Effect.fnUntraced(function* (name: string, dist: string | null, release = "1.0") {
          const given = Factory.newArtifactBundle(projectId, {
            kind: "release_file",
            name,
            files: [Factory.newArtifactFile({ url: name, mapReference: "m" })],
          })
          const link = { release, dist }
          return yield* store.replaceReleaseFile(given, link, yield* DateTime.now)
        })
        const first = yield* replace("~/a.js", null)
        const dist = yield* replace("~/a.js", "7")
        const other = yield* replace("~/a.js", null, "2.0")
        const b = yield* replace("~/b.js", null)
        const last = yield* replace("~/a.js", null)
        yield* insert(projectId)
        const { items } = yield* store.releaseFiles(projectId, "1.0", firstPage)
        expect(items.map(({ dist, id, mapReference, name }) => ({ id, name, dist, mapReference }))).toEqual([
          { id: last, name: "~/a.js", dist: null, mapReference: "m" },
          { id: b, name: "~/b.js", dist: null, mapReference: "m" },
          { id: dist, name: "~/a.js", dist: "7", mapReference: "m" },
        ])
        expect((yield* store.releaseFiles(projectId, "1.0", { limit: 1, cursor: b })).items).toMatchObject([
          { id: dist },
        ])
        expect(yield* store.removeReleaseFiles(projectId, "1.0", first)).toBe(0)
        expect(yield* store.removeReleaseFiles(projectId, "2.0", last)).toBe(0)
        expect(yield* store.removeReleaseFiles(projectId, "1.0", b)).toBe(1)
        expect(yield* store.removeReleaseFiles(projectId, "1.0", null)).toBe(2)
        expect((yield* store.releaseFiles(projectId, "2.0", firstPage)).items).toMatchObject([{ id: other }])
        expect((yield* store.list(projectId, firstPage)).items).toHaveLength(2)
      }),
    ),

    contractCase(
      "removes old failures and unused bundles, and keeps recently used ones",
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const { id: projectId } = yield* Given.project()
        const start = yield* DateTime.now
        const at = (minutes: number) => DateTime.add(start, { minutes })
        // Data of other cases.
        yield* store.removeOldest(null, 100_000)
        yield* store.removeFailed(start, 100_000)
        const insertAt = (minutes: number) => store.insert(Factory.newArtifactBundle(projectId), at(minutes))
        const [old, used, later] = [yield* insertAt(0), yield* insertAt(1), yield* insertAt(2)]
        yield* store.markUsed(projectId, [used], at(10))
        yield* store.markUsed((yield* Given.project()).id, [old], at(10))
        yield* store.insertFailed(Factory.newArtifactBundle(projectId), none, at(0))
        const left = Effect.map(store.list(projectId, firstPage), ({ items }) => items.map(({ id }) => id))
        expect(yield* store.removeOldest(at(0), 10)).toBe(0)
        expect(yield* store.removeOldest(at(5), 1)).toBe(1)
        expect(yield* left).not.toContain(old)
        expect(yield* store.removeOldest(at(5), 10)).toBe(1)
        expect(yield* left).not.toContain(later)
        expect(yield* store.removeFailed(at(0), 10)).toBe(0)
        expect(yield* store.removeFailed(at(1), 10)).toBe(1)
        expect(yield* left).toEqual([used])
        expect((yield* Effect.fromOption(yield* store.find(projectId, used))).lastUsedAt).toEqual(at(10))
        expect(yield* store.removeOldest(null, 10)).toBe(1)
      }),
    ),

    contractCase(
      "removes the artifacts that belong only to the given releases",
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const { id: projectId } = yield* Given.project()
        const { id: theirs } = yield* Given.project()
        const linked = Effect.fnUntraced(function* (links: ReadonlyArray<string | null>, of = projectId) {
          const bundleId = yield* insert(of)
          for (const release of links) {
            yield* store.link({ projectId: of, bundleId }, { release, dist: null }, yield* DateTime.now)
          }
          return bundleId
        })
        yield* linked(["1"])
        yield* linked(["1", "2"])
        const both = yield* linked(["2", "3"])
        const free = yield* linked(["1", null])
        const unlinked = yield* linked([])
        const other = yield* linked(["1"], theirs)
        expect(yield* store.removeOfReleases(projectId, [])).toBe(0)
        expect(yield* store.removeOfReleases(projectId, ["1", "2"])).toBe(2)
        const { items } = yield* store.list(projectId, firstPage)
        expect(items.map(({ id }) => id)).toEqual([unlinked, free, both])
        expect((yield* store.list(theirs, firstPage)).items).toMatchObject([{ id: other }])
      }),
    ),

    contractCase(
      "takes unneeded contents once, and reports them to concurrent uploads",
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const { id: projectId } = yield* Given.project()
        const start = yield* DateTime.now
        const at = (minutes: number) => DateTime.add(start, { minutes })
        // Data of other cases.
        yield* store.forgetBlobs(yield* store.takeUnneeded(start, start, start, 100_000))
        const [needed, unneeded, young] = [Factory.hash(), Factory.hash(), Factory.hash()]
        expect(yield* store.announceBlobs([needed, unneeded, unneeded], at(0))).toEqual([])
        expect(yield* store.announceBlobs([young], at(50))).toEqual([])
        const before = yield* store.blobBytes
        yield* store.storedBlobs([
          { key: needed, bytes: 100 },
          { key: unneeded, bytes: 20 },
          { key: young, bytes: 3 },
        ])
        yield* insert(projectId, {
          files: [Factory.newArtifactFile({ blob: needed }), Factory.newArtifactFile({ blob: needed })],
        })
        const after = yield* store.blobBytes
        expect(after.stored - before.stored).toBe(123)
        expect(after.needed - before.needed).toBe(100)

        const take = (now: number) => store.takeUnneeded(at(now - 60), at(now - 10), at(now), 10)
        expect(yield* take(60)).toEqual([])
        const taken = yield* Effect.all([
          take(61),
          onSecondNode(
            Effect.flatMap(ArtifactStore, (other) => other.takeUnneeded(at(1), at(51), at(61), 10)),
          ),
        ])
        expect(taken.flat()).toEqual([unneeded])
        expect(yield* store.announceBlobs([needed, unneeded], at(61))).toEqual([unneeded])
        // The taker has died.
        expect(yield* take(71)).toEqual([])
        expect(yield* take(72)).toEqual([unneeded])
        yield* store.forgetBlobs([unneeded, needed])
        expect(yield* store.announceBlobs([unneeded, needed], at(72))).toEqual([])
        expect((yield* store.blobBytes).stored - before.stored).toBe(103)
      }),
    ),

    contractCase(
      "takes the contents first that were taken longest ago",
      Effect.gen(function* () {
        const store = yield* ArtifactStore
        const start = yield* DateTime.now
        const at = (minutes: number) => DateTime.add(start, { minutes })
        // Data of other cases.
        yield* store.forgetBlobs(yield* store.takeUnneeded(start, start, start, 100_000))
        const [first, second, third] = [Factory.hash(), Factory.hash(), Factory.hash()]
        const take = (now: number) => store.takeUnneeded(at(now - 60), at(now - 10), at(now), 1)
        yield* store.announceBlobs([first], at(0))
        yield* store.announceBlobs([second], at(1))
        expect([yield* take(62), yield* take(63)]).toEqual([[first], [second]])
        expect(yield* take(74)).toEqual([first])
        yield* store.announceBlobs([third], at(14))
        expect([yield* take(75), yield* take(75), yield* take(75)]).toEqual([[third], [second], []])
        yield* store.forgetBlobs([first, second, third])
      }),
    ),
  ],
}
