import { DateTime, Effect, Option } from "effect"
import { AccessPolicy, type AuthorizedProject } from "../access/AccessPolicy.js"
import { userIdOf } from "../access/Actor.js"
import { generateProjectToken } from "../access/Secrets.js"
import { taken, ValidationError } from "../access/ValidationError.js"
import * as GroupLifecycle from "../group/GroupLifecycle.js"
import { GroupStore } from "../group/GroupStore.js"
import * as SaveTransitions from "../group/SaveTransitions.js"
import type { PageRequest } from "../storage/Page.js"
import { Storage } from "../storage/Storage.js"
import type { ProjectMute } from "./Project.js"
import { ProjectStore } from "./ProjectStore.js"

/** What a project is created from; checked by `Projects.create`. */
export interface CreateProject {
  readonly name: string
  readonly platform?: string | undefined
  readonly timezone?: string | undefined
}

/** Projects, for whoever the current actor is. */
export class Projects extends Effect.Service<Projects>()("@errata/core/project/Projects", {
  effect: Effect.gen(function* () {
    const access = yield* AccessPolicy
    const storage = yield* Storage
    const projects = yield* ProjectStore
    const groups = yield* GroupStore
    const save = yield* SaveTransitions.make

    /** Creates a project with a fresh token. */
    const create = Effect.fn("Projects.create")(function* (input: CreateProject) {
      yield* access.check("projects.create")
      const { name, platform, timezone } = yield* validate(input)
      const token = yield* generateProjectToken
      const created = yield* projects.insert({ name, platform, timezone, token }, yield* DateTime.now)
      if (created._tag === "None") return yield* ValidationError.of("name", taken)
      return created.value
    })

    /** The projects that the actor can see, newest first. */
    const list = Effect.fn("Projects.list")(function* (
      options: { readonly name: string | null },
      page: PageRequest,
    ) {
      const actor = yield* access.check("projects.list")
      return yield* projects.list({ only: access.visibleProjects(actor), name: options.name }, page)
    })

    /** Mutes all groups of the project, and those to come, for ever or until a moment in the future. */
    const mute = Effect.fn("Projects.mute")(function* (
      { project, actor }: AuthorizedProject<"project.administer">,
      until: DateTime.Utc | null,
    ) {
      const now = yield* DateTime.now
      if (until !== null && until.epochMillis <= now.epochMillis) {
        return yield* ValidationError.of("snooze_until", "must be in the future")
      }
      const projectMute: ProjectMute = { at: now, by: userIdOf(actor), until }
      yield* projects.setMute(project.id, projectMute, now)
      // In batches of their own, each short: a project may have very many groups, and they keep receiving reports.
      let after = 0
      while (true) {
        const last = yield* storage.transaction(
          Effect.gen(function* () {
            const locked = yield* groups.lockNext(project.id, after, muteBatch)
            yield* save(locked, (group) => GroupLifecycle.inheritMute(group, projectMute, now), now)
            return locked.at(-1)?.id
          }),
        )
        if (last === undefined) return
        after = last
      }
    })

    /** New groups no longer inherit the mute; those there are stay muted until their deadline or an unmute. */
    const unmute = Effect.fn("Projects.unmute")(function* ({
      project,
    }: AuthorizedProject<"project.administer">) {
      yield* projects.setMute(project.id, null, yield* DateTime.now)
    })

    return { create, list, mute, unmute }
  }),
}) {}

// internal

const muteBatch = 500
const maxNameLength = 200
const maxPlatformLength = 64

const validate = (input: CreateProject) => {
  const errors: Record<string, Array<string>> = {}
  const name = input.name.trim()
  const platform = input.platform ?? "other"
  const timezone = input.timezone ?? "UTC"
  if (name === "") errors["name"] = ["can't be blank"]
  else if (name.length > maxNameLength)
    errors["name"] = [`is too long (maximum is ${maxNameLength} characters)`]
  if (platform.length < 1 || platform.length > maxPlatformLength) {
    errors["platform"] = [`must be 1 to ${maxPlatformLength} characters`]
  }
  if (!isTimezone(timezone)) errors["timezone"] = ["is not an IANA time zone name"]
  return Object.keys(errors).length > 0
    ? Effect.fail(new ValidationError({ errors }))
    : Effect.succeed({ name, platform, timezone })
}

// Offsets such as "+02:00" are zones to Intl, but no IANA names.
const isTimezone = (name: string): boolean =>
  /^[A-Za-z]/.test(name) && Option.isSome(DateTime.zoneMakeNamed(name))
