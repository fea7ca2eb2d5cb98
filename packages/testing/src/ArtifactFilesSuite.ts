/** Lookups of uploaded files while frames are resolved. */
import type { ProjectId } from "@errata/core"
import { ArtifactStore, type NewArtifactFile } from "@errata/core/ports"
import { DateTime, Effect } from "effect"
import { expect } from "vitest"
import { type ContractSuite, contractCase, onSecondNode } from "./ContractCase.js"
import * as Factory from "./Factory.js"
import * as Given from "./Given.js"

type Links = ReadonlyArray<Parameters<ArtifactStore["Service"]["link"]>[1]>

/** Stores a bundle with files, linked one minute after the other. */
const upload = (projectId: ProjectId, files: ReadonlyArray<NewArtifactFile>, links: Links = [], minute = 0) =>
  Effect.gen(function* () {
    const store = yield* ArtifactStore
    const now = DateTime.add(yield* DateTime.now, { minutes: minute })
    const bundleId = yield* store.insert(Factory.newArtifactBundle(projectId, { files }), now)
    for (const link of links) yield* store.link({ projectId, bundleId }, link, now)
    return bundleId
  })

export const artifactFilesSuite: ContractSuite = {
  name: "ArtifactStore files",
  cases: [
    contractCase(
      "finds files by debug id in their project, those of the newest bundle first",
      Effect.gen(function* () {
        const files = yield* ArtifactStore
        const { id: mine } = yield* Given.project()
        const { id: theirs } = yield* Given.project()
        const [a, b] = [Factory.debugId(), Factory.debugId()]
        const script = Factory.newArtifactFile({
          type: "minified_source",
          url: "~/a.js",
          debugId: a,
          mapReference: "a.js.map",
        })
        const map = Factory.newArtifactFile({ debugId: a })
        const first = yield* upload(mine, [script, map])
        const second = yield* upload(mine, [Factory.newArtifactFile({ debugId: b, url: null }), map])
        yield* upload(theirs, [map])
        const found = yield* onSecondNode(
          Effect.flatMap(ArtifactStore, ({ filesByDebugIds }) =>
            filesByDebugIds(mine, [a, b, a, Factory.debugId()]),
          ),
        )
        expect(found.map(({ bundleId, debugId, type }) => [bundleId, debugId, type])).toEqual([
          [second, b, "source_map"],
          [second, a, "source_map"],
          [first, a, "minified_source"],
          [first, a, "source_map"],
        ])
        expect(found[2]).toEqual({
          bundleId: first,
          type: "minified_source",
          url: "~/a.js",
          debugId: a,
          mapReference: "a.js.map",
          size: 10,
          blob: script.blob,
        })
        expect(yield* files.filesByDebugIds(mine, [])).toEqual([])
        expect(yield* files.filesByDebugIds(mine, ["no id", "'"])).toEqual([])
      }),
    ),

    contractCase(
      "finds a file by its other ids only if they are no file's own id",
      Effect.gen(function* () {
        const files = yield* ArtifactStore
        const { id: projectId } = yield* Given.project()
        const [own, other] = [Factory.debugId(), Factory.debugId()]
        const first = yield* upload(projectId, [
          Factory.newArtifactFile({ debugId: own, otherDebugIds: [other] }),
        ])
        const find = Effect.map(files.filesByDebugIds(projectId, [other, own]), (found) =>
          found.map(({ bundleId, debugId }) => [bundleId, debugId]),
        )
        expect(yield* find).toEqual([
          [first, own],
          [first, other],
        ])
        const second = yield* upload(projectId, [Factory.newArtifactFile({ debugId: other })])
        expect(yield* find).toEqual([
          [second, other],
          [first, own],
        ])
      }),
    ),

    contractCase(
      "finds files by name in a release, by dist first, then the latest upload",
      Effect.gen(function* () {
        const files = yield* ArtifactStore
        const { id: projectId } = yield* Given.project()
        const named = (url: string) => Factory.newArtifactFile({ url })
        const release = (dist: string | null, version = "1.0") => ({ release: version, dist })
        const plain = yield* upload(projectId, [named("~/a"), named("~/b")], [release(null)], 1)
        const early = yield* upload(projectId, [named("~/a")], [release("7")], 2)
        const late = yield* upload(projectId, [named("~/a")], [release("7"), release(null)], 3)
        yield* upload(projectId, [named("~/a")], [release("8")], 4)
        yield* upload(projectId, [named("~/a")], [release("7", "2.0")], 5)
        yield* upload(projectId, [named("~/a")], [], 6)
        const find = (dist: string, ...names: ReadonlyArray<string>) =>
          Effect.map(files.filesByNames(projectId, "1.0", dist, names), (found) =>
            found.map(({ bundleId, url }) => [bundleId, url]),
          )
        expect(yield* find("7", "~/b", "~/a", "~/none")).toEqual([
          [late, "~/a"],
          [early, "~/a"],
          [plain, "~/a"],
          [plain, "~/b"],
        ])
        expect(yield* find("", "~/a")).toEqual([
          [late, "~/a"],
          [plain, "~/a"],
        ])
        // Linked again, the bundle becomes the latest.
        const again = DateTime.add(yield* DateTime.now, { minutes: 9 })
        yield* files.link({ projectId, bundleId: plain }, release(null), again)
        expect(yield* find("9", "~/a")).toEqual([
          [plain, "~/a"],
          [late, "~/a"],
        ])
        expect(yield* files.filesByNames(projectId, "", "", ["~/a"])).toEqual([])
        expect(yield* files.filesByNames(projectId, "1.0", "", [])).toEqual([])
      }),
    ),

    contractCase(
      "finds names that are longer than an index entry",
      Effect.gen(function* () {
        const files = yield* ArtifactStore
        const { id: projectId } = yield* Given.project()
        const url = `~/${"/webpack/loaders?x=".repeat(1000)}${Factory.hash()}`
        const bundleId = yield* upload(
          projectId,
          [Factory.newArtifactFile({ url })],
          [{ release: "1", dist: null }],
        )
        expect(yield* files.filesByNames(projectId, "1", "", [url])).toMatchObject([{ bundleId, url }])
      }),
    ),
  ],
}
