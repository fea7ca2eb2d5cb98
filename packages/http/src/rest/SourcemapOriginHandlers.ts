import { pageFields, SourcemapOriginCreation, sourcemapOriginView } from "@errata/api/internal"
import { AccessPolicy, SourcemapOriginId, SourcemapOrigins } from "@errata/core"
import { Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import { inProject } from "./ProjectPath.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"sourcemapOrigins">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const origins = yield* SourcemapOrigins

    const administered = inProject(access, "project.administer")

    const inspected = inProject(access, "project.inspect")

    return handlers
      .handle("list", ({ params, query }) =>
        Effect.gen(function* () {
          const page = yield* origins.list(yield* inspected(params), pageRequest(query))
          return { hosted_sourcemap_origins: page.items.map(sourcemapOriginView), ...pageFields(page) }
        }).pipe(toProblems),
      )
      .handleRaw("create", ({ params, request }) =>
        AuthorizedBody.use(request, SourcemapOriginCreation, administered(params), ({ origin }, project) =>
          origins.create(project, origin),
        ).pipe(Effect.map(sourcemapOriginView), toProblems),
      )
      .handle("remove", ({ params }) =>
        Effect.gen(function* () {
          yield* origins.remove(yield* administered(params), SourcemapOriginId.make(params.origin_id))
        }).pipe(toProblems),
      )
  })
