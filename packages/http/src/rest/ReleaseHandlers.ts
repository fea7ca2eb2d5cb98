import { HttpApiBuilder } from "effect/http-api"
import { type ErrataApi, pageFields, releaseView } from "@errata/api"
import { AccessPolicy, ProjectId, ReleaseId, Releases } from "@errata/core"
import { Effect } from "effect"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "releases", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const releases = yield* Releases

      const readable = (path: { readonly project_id: number }) =>
        access.project("releases.read", ProjectId.make(path.project_id))

      return handlers
        .handle("list", ({ path, urlParams }) =>
          Effect.gen(function* () {
            const page = yield* releases.list(
              yield* readable(path),
              { version: urlParams.version ?? null },
              pageRequest(urlParams),
            )
            return { releases: page.items.map(releaseView), ...pageFields(page) }
          }).pipe(toProblems),
        )
        .handle("get", ({ path }) =>
          Effect.gen(function* () {
            return releaseView(yield* releases.get(yield* readable(path), ReleaseId.make(path.release_id)))
          }).pipe(toProblems),
        )
    }),
  )
