import { mergeView, pageFields } from "@errata/api/internal"
import { AccessPolicy, GroupId, Groups, MergeId, ProjectId } from "@errata/core"
import { Effect } from "effect"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"merges">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const groups = yield* Groups

    return handlers
      .handle("list", ({ params, query }) =>
        Effect.gen(function* () {
          const project = yield* access.project("groups.read", ProjectId.make(params.project_id))
          const page = yield* groups.listMerges(project, GroupId.make(params.group_id), pageRequest(query))
          return { merges: page.items.map(mergeView), ...pageFields(page) }
        }).pipe(toProblems),
      )
      .handle("undo", ({ params }) =>
        Effect.gen(function* () {
          const project = yield* access.project("groups.change", ProjectId.make(params.project_id))
          yield* groups.unmerge(project, GroupId.make(params.group_id), MergeId.make(params.merge_id))
        }).pipe(toProblems),
      )
  })
