import { Context, Effect, Layer } from "effect"
import type { AuthorizedProject } from "../access/AccessPolicy.js"
import * as Page from "../storage/Page.js"
import {
  type ArtifactBundle,
  type ArtifactBundleId,
  ArtifactBundleNotFound,
  type ListedArtifactFile,
} from "./ArtifactBundle.js"
import { ArtifactStore } from "./ArtifactStore.js"

/** A bundle and its first 1,000 files. */
export interface ArtifactBundleDetail {
  readonly bundle: ArtifactBundle
  readonly files: ReadonlyArray<ListedArtifactFile>
}

/** Lists and removes the artifact bundles of projects, including failed uploads. */
export class Artifacts extends Context.Service<Artifacts>()("@errata/core/artifact/Artifacts", {
  make: Effect.gen(function* () {
    const store = yield* ArtifactStore

    /** Bundles of a project, newest first. */
    const list = Effect.fn("Artifacts.list")(function* (
      { project }: AuthorizedProject<"artifacts.read">,
      page: Page.PageRequest,
    ) {
      return yield* store.list(project.id, yield* Page.checked(page))
    })

    const get = Effect.fn("Artifacts.get")(function* (
      { project }: AuthorizedProject<"artifacts.read">,
      id: ArtifactBundleId,
    ) {
      const found = yield* store.find(project.id, id)
      const bundle = yield* Effect.fromOption(found, () => new ArtifactBundleNotFound({ bundleId: id }))
      const files = yield* store.files(project.id, id, maxFilesShown)
      return { bundle, files } satisfies ArtifactBundleDetail
    })

    /** Removes a bundle. Contents that no other bundle needs are removed later. */
    const remove = Effect.fn("Artifacts.remove")(function* (
      { project }: AuthorizedProject<"artifacts.administer">,
      id: ArtifactBundleId,
    ) {
      if (!(yield* store.remove(project.id, id))) return yield* new ArtifactBundleNotFound({ bundleId: id })
    })

    return { list, get, remove }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

const maxFilesShown = 1000
