import { HttpApiBuilder } from "effect/http-api"
import { artifactBundleDetailView, artifactBundleView, type ErrataApi, pageFields } from "@errata/api"
import { AccessPolicy, ArtifactBundleId, Artifacts, ProjectId } from "@errata/core"
import { Effect } from "effect"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "artifacts", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const artifacts = yield* Artifacts

      const readable = (path: { readonly project_id: number }) =>
        access.project("artifacts.read", ProjectId.make(path.project_id))

      return handlers
        .handle("list", ({ path, urlParams }) =>
          Effect.gen(function* () {
            const page = yield* artifacts.list(yield* readable(path), pageRequest(urlParams))
            return { artifact_bundles: page.items.map(artifactBundleView), ...pageFields(page) }
          }).pipe(toProblems),
        )
        .handle("get", ({ path }) =>
          Effect.gen(function* () {
            const id = ArtifactBundleId.make(path.bundle_id)
            return artifactBundleDetailView(yield* artifacts.get(yield* readable(path), id))
          }).pipe(toProblems),
        )
        .handle("remove", ({ path }) =>
          Effect.gen(function* () {
            const project = yield* access.project("artifacts.administer", ProjectId.make(path.project_id))
            yield* artifacts.remove(project, ArtifactBundleId.make(path.bundle_id))
          }).pipe(toProblems),
        )
    }),
  )
