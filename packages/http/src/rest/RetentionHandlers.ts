import { pageFields, retentionRunView } from "@errata/api/internal"
import { AccessPolicy, Retention, RetentionRunId } from "@errata/core"
import { Effect } from "effect"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"retention">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const retention = yield* Retention

    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const allowed = yield* access.instance("policies.read")
          const page = yield* retention.list(allowed, pageRequest(query))
          return { runs: page.items.map(retentionRunView), ...pageFields(page) }
        }).pipe(toProblems),
      )
      .handle("get", ({ params }) =>
        Effect.gen(function* () {
          const allowed = yield* access.instance("policies.read")
          return retentionRunView(yield* retention.get(allowed, RetentionRunId.make(params.run_id)))
        }).pipe(toProblems),
      )
      .handle("run", ({ query }) =>
        Effect.gen(function* () {
          const allowed = yield* access.instance("policies.administer")
          return retentionRunView(yield* retention.request(allowed, query.kind ?? "errors"))
        }).pipe(toProblems),
      )
  })
