import { deadLetterView, pageFields } from "@errata/api/internal"
import { AccessPolicy, DeadLetters } from "@errata/core"
import { Effect } from "effect"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"deadLetters">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const deadLetters = yield* DeadLetters

    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const allowed = yield* access.instance("ingest.inspect")
          const page = yield* deadLetters.list(allowed, pageRequest(query))
          return { dead_letters: page.items.map(deadLetterView), ...pageFields(page) }
        }).pipe(toProblems),
      )
      .handle("retryAll", () =>
        access.instance("ingest.retry").pipe(
          Effect.flatMap((allowed) => deadLetters.retryAll(allowed)),
          Effect.map((retried) => ({ retried })),
          toProblems,
        ),
      )
      .handle("retry", ({ params }) =>
        Effect.flatMap(access.instance("ingest.retry"), (allowed) =>
          deadLetters.retry(allowed, params.dead_letter_id),
        ).pipe(toProblems),
      )
      .handle("discard", ({ params }) =>
        Effect.flatMap(access.instance("ingest.discard"), (allowed) =>
          deadLetters.discard(allowed, params.dead_letter_id),
        ).pipe(toProblems),
      )
  })
