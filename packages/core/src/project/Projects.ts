import { Context, DateTime, Effect, Layer, Option } from "effect"
import {
  AccessPolicy,
  type AuthorizedInstance,
  type AuthorizedProject,
  ProjectNotFound,
} from "../access/AccessPolicy.js"
import { userIdOf } from "../access/Actor.js"
import { generateProjectToken } from "../access/Secrets.js"
import * as Page from "../storage/Page.js"
import * as Transactions from "../storage/Transactions.js"
import { deadlineProblem } from "../validation/Moment.js"
import { isStorable, notStorable, textProblem } from "../validation/StorableText.js"
import { taken, ValidationError } from "../validation/ValidationError.js"
import type { Project } from "./Project.js"
import { ProjectCredentials } from "./ProjectCredentials.js"
import * as ProjectMuter from "./ProjectMuter.js"
import { type ProjectChange, ProjectStore } from "./ProjectStore.js"

/** Input of `Projects.create`, not validated. */
export interface CreateProject {
  readonly name: string
  /** The key of the application. None by default. */
  readonly key?: string | undefined
  readonly platform?: string | undefined
  readonly timezone?: string | undefined
}

/** Input of `Projects.update`, not validated. Undefined fields stay. */
export interface UpdateProject {
  readonly name?: string | undefined
  readonly platform?: string | undefined
  readonly timezone?: string | undefined
}

/** Creates, changes, mutes and deletes projects. */
export class Projects extends Context.Service<Projects>()("@errata/core/project/Projects", {
  make: Effect.gen(function* () {
    const access = yield* AccessPolicy
    const transaction = yield* Transactions.make
    const projects = yield* ProjectStore
    const credentials = yield* ProjectCredentials
    const muteGroups = yield* ProjectMuter.make

    /** Creates a project with a new token. */
    const create = Effect.fn("Projects.create")(function* (
      _allowed: AuthorizedInstance<"projects.create">,
      input: CreateProject,
    ) {
      const { key, name, platform = "other", timezone = "UTC" } = yield* validate(input)
      const token = yield* generateProjectToken
      const created = yield* projects.insert({ name, key, platform, timezone, token }, yield* DateTime.now)
      return yield* Effect.fromOption(created, () => ValidationError.of("name", taken))
    })

    /** Projects visible to the actor, newest first. */
    const list = Effect.fn("Projects.list")(function* (
      { actor }: AuthorizedInstance<"projects.list">,
      options: { readonly name: string | null },
      page: Page.PageRequest,
    ) {
      const checked = yield* Page.checked(page)
      if (options.name !== null && !isStorable(options.name))
        return yield* ValidationError.of("name", notStorable)
      const only = yield* access.visibleProjects(actor)
      return yield* projects.list({ only, name: options.name }, checked)
    })

    /** Changes the given fields, or none if any is invalid. */
    const update = Effect.fn("Projects.update")(function* (
      { project }: AuthorizedProject<"project.administer">,
      input: UpdateProject,
    ) {
      const { name, platform, timezone } = yield* validate(input)
      return yield* change(project, { name, platform, timezone })
    })

    /** Replaces the token. The old one is rejected at once here, and on other nodes when their cache expires. */
    const rotateToken = Effect.fn("Projects.rotateToken")(function* ({
      project,
    }: AuthorizedProject<"project.administer">) {
      const changed = yield* change(project, { token: yield* generateProjectToken }).pipe(
        // The name does not change.
        Effect.catchTag("ValidationError", Effect.die),
      )
      yield* credentials.forget(project.token)
      return changed
    })

    /** Restricts notifications to severity `error` and `fatal`, or lifts this. */
    const setNotificationSettings = Effect.fn("Projects.setNotificationSettings")(function* (
      { project }: AuthorizedProject<"project.administer">,
      settings: Pick<ProjectChange, "errorAndFatalNotificationsOnly">,
    ) {
      return yield* change(project, settings)
    })

    const change = Effect.fn("Projects.change")(function* (project: Project, fields: ProjectChange) {
      if (Object.values(fields).every((value) => value === undefined)) return project
      const changed = yield* projects.update(project.id, fields, yield* DateTime.now)
      if (Option.isSome(changed)) return changed.value
      return Option.isSome(yield* projects.find(project.id))
        ? yield* ValidationError.of("name", taken)
        : yield* new ProjectNotFound({ projectId: project.id })
    })

    /** Deletes a project. Its data is purged in the background. */
    const remove = Effect.fn("Projects.remove")(function* ({
      project,
    }: AuthorizedProject<"project.administer">) {
      yield* transaction(projects.remove(project.id, yield* DateTime.now))
      yield* credentials.forget(project.token)
    })

    /** Mutes all present and future groups of the project, permanently or until a time in the future. */
    const mute = Effect.fn("Projects.mute")(function* (
      { project, actor }: AuthorizedProject<"project.administer">,
      until: DateTime.Utc | null,
    ) {
      const now = yield* DateTime.now
      yield* ValidationError.ensure({
        until: until === null ? null : deadlineProblem(until.epochMilliseconds, now.epochMilliseconds),
      })
      // Continues if the caller is interrupted. If the process ends, `ProjectMuter` continues later.
      yield* Effect.uninterruptible(
        Effect.andThen(
          transaction(projects.setMute(project.id, { at: now, by: userIdOf(actor), until }, now)),
          muteGroups(project.id),
        ),
      )
    })

    /** Stops new groups from inheriting the mute. Existing groups stay muted until their deadline or an unmute. */
    const unmute = Effect.fn("Projects.unmute")(function* ({
      project,
    }: AuthorizedProject<"project.administer">) {
      yield* transaction(projects.setMute(project.id, null, yield* DateTime.now))
    })

    return { create, list, update, rotateToken, setNotificationSettings, remove, mute, unmute }
  }),
}) {
  static readonly DefaultWithoutDependencies = Layer.effect(this, this.make)
  static readonly Default = this.DefaultWithoutDependencies.pipe(Layer.provide(ProjectCredentials.Default))
}

// internal

const maxNameLength = 200
const maxPlatformLength = 64

/** Validates the given fields, for creation and update. */
const validate = <Input extends Partial<Record<keyof CreateProject, string | undefined>>>(input: Input) => {
  const { key, platform, timezone } = input
  const name = input.name?.trim()
  return Effect.as(
    ValidationError.ensure({
      name: name === undefined ? null : textProblem(name, maxNameLength),
      key: key === undefined ? null : textProblem(key, maxNameLength),
      platform: platform === undefined ? null : platformProblem(platform),
      timezone: timezone === undefined ? null : timezoneProblem(timezone),
    }),
    { ...input, name: name as Input["name"] },
  )
}

const platformProblem = (text: string): string | null => {
  if (!isStorable(text)) return notStorable
  return text.length < 1 || text.length > maxPlatformLength
    ? `must be 1 to ${maxPlatformLength} characters`
    : null
}

const timezoneProblem = (name: string): string | null => {
  if (!isStorable(name)) return notStorable
  return isTimezone(name) ? null : "is not an IANA time zone name"
}

// `Intl` accepts offsets such as "+02:00", which are not IANA names.
const isTimezone = (name: string): boolean =>
  /^[A-Za-z]/.test(name) && Option.isSome(DateTime.zoneMakeNamed(name))
