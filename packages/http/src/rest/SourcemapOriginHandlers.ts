import { HttpApiBuilder } from "effect/http-api"
import { type ErrataApi, pageFields, SourcemapOriginCreation, sourcemapOriginView } from "@errata/api"
import { AccessPolicy, ProjectId, SourcemapOriginId, SourcemapOrigins } from "@errata/core"
import { Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "sourcemapOrigins", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const origins = yield* SourcemapOrigins

      const administered = (path: { readonly project_id: number }) =>
        access.project("project.administer", ProjectId.make(path.project_id))

      const inspected = (path: { readonly project_id: number }) =>
        access.project("project.inspect", ProjectId.make(path.project_id))

      return handlers
        .handle("list", ({ path, urlParams }) =>
          Effect.gen(function* () {
            const page = yield* origins.list(yield* inspected(path), pageRequest(urlParams))
            return { hosted_sourcemap_origins: page.items.map(sourcemapOriginView), ...pageFields(page) }
          }).pipe(toProblems),
        )
        .handleRaw("create", ({ path, request }) =>
          AuthorizedBody.use(request, SourcemapOriginCreation, administered(path), ({ origin }, project) =>
            origins.create(project, origin),
          ).pipe(Effect.map(sourcemapOriginView), toProblems),
        )
        .handle("remove", ({ path }) =>
          Effect.gen(function* () {
            yield* origins.remove(yield* administered(path), SourcemapOriginId.make(path.origin_id))
          }).pipe(toProblems),
        )
    }),
  )
