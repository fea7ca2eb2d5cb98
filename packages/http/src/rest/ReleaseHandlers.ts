import { pageFields, releaseAppearanceView, releaseView } from "@errata/api/internal"
import { AccessPolicy, ReleaseId, Releases } from "@errata/core"
import { Effect } from "effect"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import { inProject } from "./ProjectPath.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"releases">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const releases = yield* Releases

    const readable = inProject(access, "releases.read")

    return handlers
      .handle("list", ({ params, query }) =>
        Effect.gen(function* () {
          const page = yield* releases.list(
            yield* readable(params),
            { version: query.version ?? null },
            pageRequest(query),
          )
          return { releases: page.items.map(releaseView), ...pageFields(page) }
        }).pipe(toProblems),
      )
      .handle("newest", ({ params }) =>
        Effect.gen(function* () {
          const newest = yield* releases.newest(yield* readable(params))
          return { releases: newest.map(releaseAppearanceView) }
        }).pipe(toProblems),
      )
      .handle("get", ({ params }) =>
        Effect.gen(function* () {
          return releaseView(yield* releases.get(yield* readable(params), ReleaseId.make(params.release_id)))
        }).pipe(toProblems),
      )
  })
