import { assigneeView } from "@errata/api/internal"
import { AccessPolicy, Members } from "@errata/core"
import { Effect } from "effect"
import { toProblems } from "./Problems.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"people">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const members = yield* Members

    return handlers.handle("all", () =>
      access.instance("people.list").pipe(
        Effect.flatMap(members.people),
        Effect.map((people) => ({ people: people.map(assigneeView) })),
        toProblems,
      ),
    )
  })
