import { HttpApiBuilder } from "effect/http-api"
import { type ErrataApi, pageFields, retentionRunView } from "@errata/api"
import { AccessPolicy, Retention, RetentionRunId } from "@errata/core"
import { Effect } from "effect"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "retention", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const retention = yield* Retention

      return handlers
        .handle("list", ({ urlParams }) =>
          Effect.gen(function* () {
            const allowed = yield* access.instance("policies.read")
            const page = yield* retention.list(allowed, pageRequest(urlParams))
            return { runs: page.items.map(retentionRunView), ...pageFields(page) }
          }).pipe(toProblems),
        )
        .handle("get", ({ path }) =>
          Effect.gen(function* () {
            const allowed = yield* access.instance("policies.read")
            return retentionRunView(yield* retention.get(allowed, RetentionRunId.make(path.run_id)))
          }).pipe(toProblems),
        )
        .handle("run", ({ urlParams }) =>
          Effect.gen(function* () {
            const allowed = yield* access.instance("policies.administer")
            return retentionRunView(yield* retention.request(allowed, urlParams.kind ?? "errors"))
          }).pipe(toProblems),
        )
    }),
  )
