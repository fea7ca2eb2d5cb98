import { HttpApiBuilder } from "effect/http-api"
import {
  type ErrataApi,
  NotificationSettings,
  notificationSettingsView,
  ProjectCreation,
  ProjectMuting,
  ProjectUpdate,
  pageFields,
  projectView,
} from "@errata/api"
import { AccessPolicy, type Project, ProjectId, Projects, readDeadline } from "@errata/core"
import { DateTime, Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"

export const layer = (api: ErrataApi) =>
  HttpApiBuilder.group(api, "projects", (handlers) =>
    Effect.gen(function* () {
      const access = yield* AccessPolicy.AccessPolicy
      const projects = yield* Projects

      const administered = (path: { readonly project_id: number }) =>
        access.project("project.administer", ProjectId.make(path.project_id))

      return handlers
        .handle("list", ({ urlParams }) =>
          Effect.gen(function* () {
            const page = yield* projects.list(
              yield* access.instance("projects.list"),
              { name: urlParams.name ?? null },
              pageRequest(urlParams),
            )
            const now = yield* DateTime.now
            return {
              projects: page.items.map((project) => projectView(project, now)),
              ...pageFields(page),
            }
          }).pipe(toProblems),
        )
        .handleRaw("create", ({ request }) =>
          AuthorizedBody.use(request, ProjectCreation, access.instance("projects.create"), (input, allowed) =>
            projects.create(allowed, input),
          ).pipe(Effect.flatMap(viewed), toProblems),
        )
        .handle("get", ({ path }) =>
          Effect.gen(function* () {
            const id = ProjectId.make(path.project_id)
            const { project } = yield* access.project("project.read", id)
            return yield* viewed(project)
          }).pipe(toProblems),
        )
        .handleRaw("update", ({ path, request }) =>
          AuthorizedBody.use(request, ProjectUpdate, administered(path), (changes, project) =>
            projects.update(project, changes),
          ).pipe(Effect.flatMap(viewed), toProblems),
        )
        .handle("remove", ({ path }) => Effect.flatMap(administered(path), projects.remove).pipe(toProblems))
        .handleRaw("mute", ({ path, request }) =>
          AuthorizedBody.use(request, ProjectMuting, administered(path), ({ snooze_until }, project) =>
            Effect.flatMap(readDeadline(snooze_until), (until) => projects.mute(project, until)),
          ).pipe(toProblems),
        )
        .handle("unmute", ({ path }) => Effect.flatMap(administered(path), projects.unmute).pipe(toProblems))
        .handle("getNotificationSettings", ({ path }) =>
          access.project("project.inspect", ProjectId.make(path.project_id)).pipe(
            Effect.map(({ project }) => notificationSettingsView(project)),
            toProblems,
          ),
        )
        .handleRaw("updateNotificationSettings", ({ path, request }) =>
          AuthorizedBody.use(request, NotificationSettings, administered(path), (settings, project) =>
            projects.setNotificationSettings(project, {
              errorAndFatalNotificationsOnly: settings.error_and_fatal_notifications_only,
            }),
          ).pipe(Effect.map(notificationSettingsView), toProblems),
        )
    }),
  )

// internal

const viewed = (project: Project) => Effect.map(DateTime.now, (now) => projectView(project, now))
