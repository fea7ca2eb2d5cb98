import { pageFields, tagDistributionView, tagValueView } from "@errata/api/internal"
import { AccessPolicy, GroupId, Tags } from "@errata/core"
import { maxCompletions } from "@errata/core/internal"
import { Effect } from "effect"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import { inProject } from "./ProjectPath.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"tags">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const tags = yield* Tags

    const readable = inProject(access, "groups.read")

    return handlers
      .handle("ofGroup", ({ params }) =>
        Effect.gen(function* () {
          const found = yield* tags.ofGroup(yield* readable(params), GroupId.make(params.group_id))
          return { tags: found.map(tagDistributionView) }
        }).pipe(toProblems),
      )
      .handle("valuesOfGroup", ({ params, query }) =>
        Effect.gen(function* () {
          const { group_id, key } = params
          const project = yield* readable(params)
          const page = yield* tags.valuesOfGroup(project, GroupId.make(group_id), key, pageRequest(query))
          return { values: page.items.map(tagValueView), ...pageFields(page) }
        }).pipe(toProblems),
      )
      .handle("keys", ({ params }) =>
        Effect.gen(function* () {
          const keys = yield* tags.keys(yield* readable(params))
          return { tags: keys.map((key) => ({ key })) }
        }).pipe(toProblems),
      )
      .handle("values", ({ params, query: { limit = maxCompletions, prefix = "" } }) =>
        Effect.gen(function* () {
          return { values: yield* tags.values(yield* readable(params), params.key, prefix, limit) }
        }).pipe(toProblems),
      )
  })
