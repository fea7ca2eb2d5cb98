import { pageFields, payloadView } from "@errata/api"
import { AccessPolicy, SetAside } from "@errata/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import type { ServedApi } from "./ServedApi.js"

export const layer = (api: ServedApi) =>
  HttpApiBuilder.group(api, "payloads", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const setAside = yield* SetAside

      return handlers
        .handle("list", ({ query }) =>
          Effect.gen(function* () {
            const allowed = yield* access.instance("ingest.inspect")
            const page = yield* setAside.list(allowed, pageRequest(query))
            return { payloads: page.items.map(payloadView), ...pageFields(page) }
          }).pipe(toProblems),
        )
        .handle("retryAll", () =>
          access.instance("ingest.retry").pipe(
            Effect.flatMap((allowed) => setAside.retryAll(allowed)),
            Effect.map((retried) => ({ retried })),
            toProblems,
          ),
        )
        .handle("retry", ({ params }) =>
          Effect.flatMap(access.instance("ingest.retry"), (allowed) =>
            setAside.retry(allowed, params.payload_id),
          ).pipe(toProblems),
        )
    }),
  )
