import { activityView } from "@errata/api/internal"
import { AccessPolicy, Activity, GroupId, ProjectId } from "@errata/core"
import { Effect } from "effect"
import { toProblems } from "./Problems.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"activity">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const activity = yield* Activity

    return handlers.handle("get", ({ params, query }) =>
      Effect.gen(function* () {
        const project = yield* access.project("groups.read", ProjectId.make(params.project_id))
        const { group_ids: ids, step = "hour", ...range } = query
        const groupIds = ids?.map((id) => GroupId.make(id)) ?? null
        return activityView(yield* activity.series(project, { ...range, step }, groupIds))
      }).pipe(toProblems),
    )
  })
