import { HttpApiBuilder } from "@effect/platform"
import { type ErrataApi, ProjectCreation, pageFields, projectView } from "@errata/api"
import { AccessPolicy, ProjectId, Projects } from "@errata/core"
import { DateTime, Effect } from "effect"
import * as JsonBody from "./JsonBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "projects", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const projects = yield* Projects

      return handlers
        .handle("list", ({ urlParams }) =>
          Effect.gen(function* () {
            const page = yield* projects.list({ name: urlParams.name ?? null }, pageRequest(urlParams))
            const now = yield* DateTime.now
            return {
              projects: page.items.map((project) => projectView(project, now)),
              ...pageFields(page),
            }
          }).pipe(toProblems),
        )
        .handleRaw("create", ({ request }) =>
          Effect.gen(function* () {
            yield* access.check("projects.create")
            const project = yield* projects.create(yield* JsonBody.read(request, ProjectCreation))
            return projectView(project, yield* DateTime.now)
          }).pipe(toProblems),
        )
        .handle("get", ({ path }) =>
          Effect.gen(function* () {
            const id = ProjectId.make(path.project_id)
            const { project } = yield* access.project("project.read", id)
            return projectView(project, yield* DateTime.now)
          }).pipe(toProblems),
        )
    }),
  )
