import { AppCreation, AppUpdate, appView, pageFields } from "@errata/api/internal"
import { AccessPolicy, AppId, Apps, ProjectId } from "@errata/core"
import { Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"apps">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const apps = yield* Apps

    const administered = access.instance("apps.administer")

    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const page = yield* apps.list(yield* access.instance("apps.list"), pageRequest(query))
          return { apps: page.items.map(appView), ...pageFields(page) }
        }).pipe(toProblems),
      )
      .handle("get", ({ params }) =>
        Effect.flatMap(access.instance("apps.list"), (allowed) =>
          apps.get(allowed, AppId.make(params.app_id)),
        ).pipe(Effect.map(appView), toProblems),
      )
      .handleRaw("create", ({ request }) =>
        AuthorizedBody.use(request, AppCreation, administered, ({ name, project_ids }, allowed) =>
          apps.create(allowed, { name, projectIds: idsOf(project_ids) }),
        ).pipe(Effect.map(appView), toProblems),
      )
      .handleRaw("update", ({ params, request }) =>
        AuthorizedBody.use(request, AppUpdate, administered, ({ name, project_ids }, allowed) =>
          apps.update(allowed, AppId.make(params.app_id), { name, projectIds: idsOf(project_ids) }),
        ).pipe(Effect.map(appView), toProblems),
      )
      .handle("remove", ({ params }) =>
        Effect.flatMap(administered, (allowed) => apps.remove(allowed, AppId.make(params.app_id))).pipe(
          toProblems,
        ),
      )
  })

// internal

const idsOf = (ids: ReadonlyArray<number> | undefined) => ids?.map((id) => ProjectId.make(id))
