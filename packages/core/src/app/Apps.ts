import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { AccessPolicy, type AuthorizedInstance } from "../access/AccessPolicy.js"
import type { ProjectId } from "../project/Project.js"
import * as Page from "../storage/Page.js"
import * as Transactions from "../storage/Transactions.js"
import { idListProblem } from "../validation/IdList.js"
import { textProblem } from "../validation/StorableText.js"
import { taken, ValidationError } from "../validation/ValidationError.js"
import { AppId } from "./App.js"
import { AppStore, type RefusedProject } from "./AppStore.js"

/** The app does not exist, or the actor cannot see any of its projects. */
export class AppNotFound extends Schema.TaggedError<AppNotFound>()("AppNotFound", { appId: AppId }) {}

/** The input for a new app. Invalid input fails with a `ValidationError` that names the field. */
export interface CreateApp {
  readonly name: string
  /** Empty by default. */
  readonly projectIds?: ReadonlyArray<ProjectId> | undefined
}

/** The changes to an app. Omitted fields stay as they are; `projectIds` replaces the set. */
export interface UpdateApp {
  readonly name?: string | undefined
  readonly projectIds?: ReadonlyArray<ProjectId> | undefined
}

/** Manages apps, which group projects. */
export class Apps extends Context.Service<Apps>()("@errata/core/app/Apps", {
  make: Effect.gen(function* () {
    const access = yield* AccessPolicy
    const transaction = yield* Transactions.make
    const apps = yield* AppStore

    /** Apps with projects that the actor can see, newest first. Other projects are omitted. Admins see all. */
    const list = Effect.fn("Apps.list")(function* (
      { actor }: AuthorizedInstance<"apps.list">,
      page: Page.PageRequest,
    ) {
      const only = yield* access.visibleProjects(actor)
      const found = yield* apps.list({ only }, yield* Page.checked(page))
      if (only === null) return found
      const visible = new Set(only)
      return {
        ...found,
        items: found.items.map((app) => {
          const projectIds = app.projectIds.filter((id) => visible.has(id))
          return { ...app, projectIds }
        }),
      }
    })

    /** An app as `list` shows it. Fails with `AppNotFound` if the actor can see none of its projects. */
    const get = Effect.fn("Apps.get")(function* ({ actor }: AuthorizedInstance<"apps.list">, id: AppId) {
      const only = yield* access.visibleProjects(actor)
      const app = yield* Effect.fromOption(yield* apps.find(id), () => new AppNotFound({ appId: id }))
      if (only === null) return app
      const projectIds = app.projectIds.filter((projectId) => only.includes(projectId))
      if (projectIds.length === 0) return yield* new AppNotFound({ appId: id })
      return { ...app, projectIds }
    })

    const setProjects = Effect.fnUntraced(function* (
      id: AppId,
      projectIds: ReadonlyArray<ProjectId>,
      now: DateTime.Utc,
    ) {
      const refused = yield* apps.setProjects(id, [...new Set(projectIds)], now)
      if (refused.length > 0)
        return yield* new ValidationError({ errors: { projectIds: messagesOf(refused) } })
    })

    const existing = Effect.fnUntraced(function* (id: AppId) {
      return yield* Effect.fromOption(yield* apps.lock(id), () => new AppNotFound({ appId: id }))
    })

    const create = Effect.fn("Apps.create")(function* (
      _allowed: AuthorizedInstance<"apps.administer">,
      input: CreateApp,
    ) {
      yield* validate(input)
      const name = input.name.trim()
      const now = yield* DateTime.now
      return yield* transaction(
        Effect.gen(function* () {
          const created = yield* apps.insert(name, now)
          const { id } = yield* Effect.fromOption(created, () => ValidationError.of("name", taken))
          if (input.projectIds !== undefined) yield* setProjects(id, input.projectIds, now)
          return yield* Effect.catchTag(existing(id), "AppNotFound", Effect.die)
        }),
      )
    })

    const update = Effect.fn("Apps.update")(function* (
      _allowed: AuthorizedInstance<"apps.administer">,
      id: AppId,
      input: UpdateApp,
    ) {
      const now = yield* DateTime.now
      return yield* transaction(
        Effect.gen(function* () {
          yield* existing(id)
          yield* validate(input)
          if (input.name !== undefined) {
            const isRenamed = yield* apps.rename(id, input.name.trim(), now)
            if (!isRenamed) return yield* ValidationError.of("name", taken)
          }
          if (input.projectIds !== undefined) yield* setProjects(id, input.projectIds, now)
          return yield* existing(id)
        }),
      )
    })

    /** Removes an app. Its projects remain, without an app. */
    const remove = Effect.fn("Apps.remove")(function* (
      _allowed: AuthorizedInstance<"apps.administer">,
      id: AppId,
    ) {
      if (!(yield* apps.remove(id))) return yield* new AppNotFound({ appId: id })
    })

    return { list, get, create, update, remove }
  }),
}) {
  static readonly Default = Layer.effect(this, this.make)
}

// internal

const maxNameLength = 200

/** Omitted fields are not checked. */
const validate = ({ name, projectIds }: UpdateApp): Effect.Effect<void, ValidationError> =>
  ValidationError.ensure({
    name: name === undefined ? null : textProblem(name.trim(), maxNameLength),
    projectIds: projectIds === undefined ? null : idListProblem(projectIds),
  })

const messagesOf = (refused: ReadonlyArray<RefusedProject>): ReadonlyArray<string> => {
  const ids = (reason: RefusedProject["reason"]) =>
    refused.filter((project) => project.reason === reason).map((project) => project.projectId)
  const [unknown, inAnotherApp] = [ids("unknown"), ids("in_another_app")]
  return [
    ...(unknown.length === 0 ? [] : [`contains projects that do not exist: ${unknown.join(", ")}`]),
    ...(inAnotherApp.length === 0 ? [] : [`contains projects of other apps: ${inAnotherApp.join(", ")}`]),
  ]
}
