import { HttpApiBuilder } from "effect/http-api"
import { type ErrataApi, mergeView, pageFields } from "@errata/api"
import { AccessPolicy, GroupId, Groups, MergeId, ProjectId } from "@errata/core"
import { Effect } from "effect"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "merges", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const groups = yield* Groups

      return handlers
        .handle("list", ({ path, urlParams }) =>
          Effect.gen(function* () {
            const project = yield* access.project("groups.read", ProjectId.make(path.project_id))
            const page = yield* groups.listMerges(
              project,
              GroupId.make(path.group_id),
              pageRequest(urlParams),
            )
            return { merges: page.items.map(mergeView), ...pageFields(page) }
          }).pipe(toProblems),
        )
        .handle("undo", ({ path }) =>
          Effect.gen(function* () {
            const project = yield* access.project("groups.change", ProjectId.make(path.project_id))
            yield* groups.unmerge(project, GroupId.make(path.group_id), MergeId.make(path.merge_id))
          }).pipe(toProblems),
        )
    }),
  )
