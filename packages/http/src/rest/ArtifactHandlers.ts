import { artifactBundleDetailView, artifactBundleView, pageFields } from "@errata/api/internal"
import { AccessPolicy, ArtifactBundleId, Artifacts, ProjectId } from "@errata/core"
import { Effect } from "effect"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import { inProject } from "./ProjectPath.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"artifacts">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const artifacts = yield* Artifacts

    const readable = inProject(access, "artifacts.read")

    return handlers
      .handle("list", ({ params, query }) =>
        Effect.gen(function* () {
          const page = yield* artifacts.list(yield* readable(params), pageRequest(query))
          return { artifact_bundles: page.items.map(artifactBundleView), ...pageFields(page) }
        }).pipe(toProblems),
      )
      .handle("get", ({ params }) =>
        Effect.gen(function* () {
          const id = ArtifactBundleId.make(params.bundle_id)
          return artifactBundleDetailView(yield* artifacts.get(yield* readable(params), id))
        }).pipe(toProblems),
      )
      .handle("remove", ({ params }) =>
        Effect.gen(function* () {
          const project = yield* access.project("artifacts.administer", ProjectId.make(params.project_id))
          yield* artifacts.remove(project, ArtifactBundleId.make(params.bundle_id))
        }).pipe(toProblems),
      )
  })
