import {
  NotificationSettings,
  notificationSettingsView,
  ProjectCreation,
  ProjectMuting,
  ProjectUpdate,
  pageFields,
  projectView,
} from "@errata/api/internal"
import { AccessPolicy, type Project, ProjectId, Projects, TestEvents } from "@errata/core"
import { readDeadline } from "@errata/core/internal"
import { DateTime, Effect } from "effect"
import * as AuthorizedBody from "./AuthorizedBody.js"
import { pageRequest } from "./Paging.js"
import { toProblems } from "./Problems.js"
import { inProject } from "./ProjectPath.js"
import type { HandlersOf } from "./ServedApi.js"

export const make = (handlers: HandlersOf<"projects">) =>
  Effect.gen(function* () {
    const access = yield* AccessPolicy.AccessPolicy
    const projects = yield* Projects
    const testEvents = yield* TestEvents

    const administered = inProject(access, "project.administer")

    return handlers
      .handle("list", ({ query }) =>
        Effect.gen(function* () {
          const page = yield* projects.list(
            yield* access.instance("projects.list"),
            { name: query.name ?? null },
            pageRequest(query),
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
      .handle("get", ({ params }) =>
        Effect.gen(function* () {
          const id = ProjectId.make(params.project_id)
          const { project } = yield* access.project("project.read", id)
          return yield* viewed(project)
        }).pipe(toProblems),
      )
      .handle("access", ({ params }) =>
        access.project("project.read", ProjectId.make(params.project_id)).pipe(
          Effect.map((project) => ({ can: access.projectRules(project) })),
          toProblems,
        ),
      )
      .handleRaw("update", ({ params, request }) =>
        AuthorizedBody.use(request, ProjectUpdate, administered(params), (changes, project) =>
          projects.update(project, changes),
        ).pipe(Effect.flatMap(viewed), toProblems),
      )
      .handle("rotateToken", ({ params }) =>
        administered(params).pipe(Effect.flatMap(projects.rotateToken), Effect.flatMap(viewed), toProblems),
      )
      .handle("remove", ({ params }) =>
        Effect.flatMap(administered(params), projects.remove).pipe(toProblems),
      )
      .handleRaw("mute", ({ params, request }) =>
        AuthorizedBody.use(request, ProjectMuting, administered(params), ({ snooze_until }, project) =>
          Effect.flatMap(readDeadline(snooze_until), (until) => projects.mute(project, until)),
        ).pipe(toProblems),
      )
      .handle("unmute", ({ params }) =>
        Effect.flatMap(administered(params), projects.unmute).pipe(toProblems),
      )
      .handle("sendTestEvent", ({ params }) =>
        Effect.flatMap(
          access.project("events.send", ProjectId.make(params.project_id)),
          testEvents.send,
        ).pipe(
          Effect.map((event_id) => ({ event_id })),
          toProblems,
        ),
      )
      .handle("getNotificationSettings", ({ params }) =>
        access.project("project.inspect", ProjectId.make(params.project_id)).pipe(
          Effect.map(({ project }) => notificationSettingsView(project)),
          toProblems,
        ),
      )
      .handleRaw("updateNotificationSettings", ({ params, request }) =>
        AuthorizedBody.use(request, NotificationSettings, administered(params), (settings, project) =>
          projects.setNotificationSettings(project, {
            errorAndFatalNotificationsOnly: settings.error_and_fatal_notifications_only,
          }),
        ).pipe(Effect.map(notificationSettingsView), toProblems),
      )
  })

// internal

const viewed = (project: Project) => Effect.map(DateTime.now, (now) => projectView(project, now))
