import { HttpApiBuilder } from "@effect/platform"
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
import { AccessPolicy, ProjectId, Projects, parseDateBound } from "@errata/core"
import { DateTime, Effect } from "effect"
import * as JsonBody from "./JsonBody.js"
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
        .handleRaw("update", ({ path, request }) =>
          Effect.gen(function* () {
            const project = yield* administered(path)
            const updated = yield* projects.update(project, yield* JsonBody.read(request, ProjectUpdate))
            return projectView(updated, yield* DateTime.now)
          }).pipe(toProblems),
        )
        .handle("remove", ({ path }) => Effect.flatMap(administered(path), projects.remove).pipe(toProblems))
        .handleRaw("mute", ({ path, request }) =>
          Effect.gen(function* () {
            const project = yield* administered(path)
            yield* projects.mute(project, untilOf(yield* JsonBody.read(request, ProjectMuting)))
          }).pipe(toProblems),
        )
        .handle("unmute", ({ path }) => Effect.flatMap(administered(path), projects.unmute).pipe(toProblems))
        .handle("getNotificationSettings", ({ path }) =>
          Effect.map(administered(path), ({ project }) => notificationSettingsView(project)).pipe(toProblems),
        )
        .handleRaw("updateNotificationSettings", ({ path, request }) =>
          Effect.gen(function* () {
            const project = yield* administered(path)
            const settings = yield* JsonBody.read(request, NotificationSettings)
            const updated = yield* projects.setNotificationSettings(project, {
              errorAndFatalNotificationsOnly: settings.error_and_fatal_notifications_only,
            })
            return notificationSettingsView(updated)
          }).pipe(toProblems),
        )
    }),
  )

// internal

const untilOf = ({ snooze_until }: ProjectMuting): DateTime.Utc | null => {
  const until = snooze_until === undefined ? null : parseDateBound(snooze_until, "start")
  return until === null ? null : DateTime.unsafeMake(until)
}
