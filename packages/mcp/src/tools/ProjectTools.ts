/** Tools for projects and their users. */
import { AccessPolicy, activeMute, Members, type Project, Projects, Triage } from "@errata/core"
import { readDeadline } from "@errata/core/internal"
import { DateTime, Effect, Schema } from "effect"
import { Flag, Id, Integer, optional, pageFields, present, shape, Text } from "../Fields.js"
import { fitted, iso, isoOrNull, pageOutput, pageRequest } from "../Result.js"
import { changing, reading, type Tool } from "../Tool.js"

const ProjectJson = shape({
  id: Integer,
  name: Text,
  platform: Text,
  groups_count: Integer,
  reports_count: Integer,
  muted: Flag,
  muted_until: Text,
})

const listProjects = reading({
  name: "list_projects",
  title: "List projects",
  description: "Lists the projects that you can access, newest first. Start here to find project ids.",
  input: pageFields,
  output: { projects: Schema.Array(ProjectJson), ...pageOutput },
  handle: Effect.fnUntraced(function* (input) {
    const allowed = yield* AccessPolicy.instance("projects.list")
    const projects = yield* Projects
    const page = yield* projects.list(allowed, { name: null }, pageRequest(input))
    const now = yield* DateTime.now
    const { items, next } = fitted(page, (project) => projectJson(project, now))
    return { projects: items, ...next }
  }),
})

const listProjectUsers = reading({
  name: "list_project_users",
  title: "List project users",
  description: "Lists the possible assignees of groups in a project, newest first.",
  input: { project_id: Id, ...pageFields },
  output: { users: Schema.Array(shape({ id: Integer, name: Text })), ...pageOutput },
  handle: Effect.fnUntraced(function* (input) {
    const triage = yield* Triage
    const members = yield* Members
    const project = yield* triage.project("assignees.read", input.project_id)
    const { items, next } = fitted(yield* members.assignees(project, pageRequest(input)), (user) => user)
    return { users: items, ...next }
  }),
})

const projectState = {
  project_id: Integer,
  muted: Flag,
  muted_until: optional(Text),
}

const muteProject = changing(
  {
    name: "mute_project",
    title: "Mute a project",
    description: "Stops notifications about all present and future groups of a project. Admins only.",
    input: {
      project_id: Id,
      snooze_until: optional(Text, "End of the mute: date, ISO 8601 time, or span such as 24h"),
    },
    output: projectState,
    handle: Effect.fnUntraced(function* ({ project_id, snooze_until }) {
      const triage = yield* Triage
      const projects = yield* Projects
      const project = yield* triage.project("project.administer", project_id)
      const until = yield* readDeadline(snooze_until)
      yield* projects.mute(project, until)
      return { project_id, muted: true, ...(until !== null && { muted_until: iso(until) }) }
    }),
  },
  { idempotent: true },
)

const unmuteProject = changing(
  {
    name: "unmute_project",
    title: "Unmute a project",
    description: "Stops muting new groups of a project. Muted groups stay muted. Admins only.",
    input: { project_id: Id },
    output: projectState,
    handle: Effect.fnUntraced(function* ({ project_id }) {
      const triage = yield* Triage
      const projects = yield* Projects
      yield* projects.unmute(yield* triage.project("project.administer", project_id))
      return { project_id, muted: false }
    }),
  },
  { idempotent: true },
)

export const projectReadingTools: ReadonlyArray<Tool> = [listProjects, listProjectUsers]
export const projectChangingTools: ReadonlyArray<Tool> = [muteProject, unmuteProject]

// internal

/** A project without its token. */
const projectJson = (project: Project, now: DateTime.Utc): typeof ProjectJson.Type => {
  const mute = activeMute(project.mute, now)
  return present<typeof ProjectJson.Type>({
    id: project.id,
    name: project.name,
    platform: project.platform,
    groups_count: project.groupsCount,
    reports_count: project.reportsCount,
    muted: mute !== null,
    muted_until: isoOrNull(mute?.until),
  })
}
