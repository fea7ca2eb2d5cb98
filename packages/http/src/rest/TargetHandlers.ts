import {
  notificationKindsView,
  quietHoursOf,
  TargetCreation,
  TargetUpdate,
  targetView,
} from "@errata/api/internal"
import { AccessPolicy, MemberMails, TargetId, Targets } from "@errata/core"
import { Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import * as NotificationViews from "./NotificationViews.js"
import { toProblems } from "./Problems.js"
import { inProject } from "./ProjectPath.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"targets">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const targets = yield* Targets
    const { sendsMail } = yield* MemberMails
    const view = targetView(targets.kinds)

    const readable = inProject(access, "alerts.read")
    const administered = inProject(access, "alerts.administer")

    return handlers
      .handle("kinds", () =>
        access
          .instance("projects.list")
          .pipe(Effect.as(notificationKindsView(targets.kinds, sendsMail)), toProblems),
      )
      .handle("all", ({ params }) =>
        Effect.flatMap(readable(params), targets.list).pipe(
          Effect.map((found) => ({ targets: found.map(view) })),
          toProblems,
        ),
      )
      .handle("get", ({ params }) =>
        Effect.flatMap(readable(params), (project) =>
          targets.get(project, TargetId.make(params.target_id)),
        ).pipe(Effect.map(view), toProblems),
      )
      .handleRaw("create", ({ params, request }) =>
        AuthorizedBody.use(
          request,
          TargetCreation,
          administered(params),
          ({ quiet_hours, ...input }, project) =>
            targets.create(project, { ...input, quietHours: quietHoursOf(quiet_hours) }),
        ).pipe(Effect.map(view), toProblems),
      )
      .handleRaw("update", ({ params, request }) =>
        AuthorizedBody.use(
          request,
          TargetUpdate,
          administered(params),
          ({ quiet_hours, ...input }, project) =>
            targets.update(project, TargetId.make(params.target_id), {
              ...input,
              quietHours: quietHoursOf(quiet_hours),
            }),
        ).pipe(Effect.map(view), toProblems),
      )
      .handle("remove", ({ params }) =>
        Effect.flatMap(administered(params), (project) =>
          targets.remove(project, TargetId.make(params.target_id)),
        ).pipe(toProblems),
      )
      .handle("test", ({ params }) =>
        Effect.gen(function* () {
          const project = yield* administered(params)
          const id = TargetId.make(params.target_id)
          const target = yield* targets.get(yield* readable(params), id)
          const sent = yield* targets.test(project, id)
          return { notifications: yield* NotificationViews.make(sent, [target], true) }
        }).pipe(toProblems),
      )
  })
