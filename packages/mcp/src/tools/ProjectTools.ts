/** Projects, and the people in them. */
import { AccessPolicy, activeMute, Members, type Project, Projects, readDeadline, Triage } from "@errata/core"
import { DateTime, Effect, Schema } from "effect"
import { described, Flag, Id, Integer, NullableText, optional, pageFields, Text } from "../Fields.js"
import { fitted, iso, isoOrNull, noted, pageOutput, pageRequest } from "../Result.js"
import { changing, reading, type Tool } from "../Tool.js"

const listProjects = reading({
  name: "list_projects",
  title: "List projects",
  description: "The projects that you can see, newest first. Start here to learn project ids.",
  input: pageFields,
  output: {
    ...pageOutput,
    projects: Schema.Array(
      Schema.Struct({
        id: Integer,
        name: Text,
        platform: Text,
        groups_count: Integer,
        reports_count: Integer,
        muted: Flag,
        muted_until: NullableText,
        created_at: Text,
      }),
    ),
  },
  handle: (input) =>
    Effect.gen(function* () {
      const allowed = yield* AccessPolicy.instance("projects.list")
      const projects = yield* Projects
      const page = yield* projects.list(allowed, { name: null }, pageRequest(input))
      const now = yield* DateTime.now
      const { items, ...rest } = fitted(page, (project) => projectJson(project, now))
      return { ...noted, projects: items, ...rest }
    }),
})

const listProjectUsers = reading({
  name: "list_project_users",
  title: "List the users of a project",
  description: "The active users with access to a project, newest first; for admins.",
  input: { project_id: described("The project", Id), ...pageFields },
  output: {
    ...pageOutput,
    users: Schema.Array(Schema.Struct({ id: Integer, name: Text, email_address: Text, role: Text })),
  },
  handle: (input) =>
    Effect.gen(function* () {
      const triage = yield* Triage
      const members = yield* Members
      const project = yield* triage.project("project.inspect", input.project_id)
      const page = yield* members.list(project, pageRequest(input))
      const { items, ...rest } = fitted(page, ({ emailAddress, id, name, role }) => ({
        id,
        name,
        email_address: emailAddress,
        role,
      }))
      return { ...noted, users: items, ...rest }
    }),
})

const projectState = {
  project_id: described("The project", Integer),
  muted: described("Whether it mutes new groups", Flag),
  muted_until: described("When that ends; null where it has no end", NullableText),
}

const muteProject = changing(
  {
    name: "mute_project",
    title: "Mute a project",
    description: "Stops notifications about all groups of a project, and those to come; for admins.",
    input: {
      project_id: described("The project", Id),
      snooze_until: optional(
        "When the mute ends: a date or an ISO 8601 timestamp in the future; never where it is left out",
        Text,
      ),
    },
    output: projectState,
    handle: ({ project_id, snooze_until }) =>
      Effect.gen(function* () {
        const triage = yield* Triage
        const projects = yield* Projects
        const project = yield* triage.project("project.administer", project_id)
        const until = yield* readDeadline(snooze_until)
        yield* projects.mute(project, until)
        return { project_id, muted: true, muted_until: isoOrNull(until) }
      }),
  },
  { destructive: false, idempotent: true },
)

const unmuteProject = changing(
  {
    name: "unmute_project",
    title: "Unmute a project",
    description: "Ends the mute of a project for new groups; for admins.",
    input: { project_id: described("The project", Id) },
    output: projectState,
    handle: ({ project_id }) =>
      Effect.gen(function* () {
        const triage = yield* Triage
        const projects = yield* Projects
        yield* projects.unmute(yield* triage.project("project.administer", project_id))
        return { project_id, muted: false, muted_until: null }
      }),
  },
  { destructive: false, idempotent: true },
)

export const projectReadingTools: ReadonlyArray<Tool> = [listProjects, listProjectUsers]
export const projectChangingTools: ReadonlyArray<Tool> = [muteProject, unmuteProject]

// internal

/** Without its token, which is none of a model's business. */
const projectJson = (project: Project, now: DateTime.Utc) => {
  const mute = activeMute(project.mute, now)
  return {
    id: project.id,
    name: project.name,
    platform: project.platform,
    groups_count: project.groupsCount,
    reports_count: project.reportsCount,
    muted: mute !== null,
    muted_until: isoOrNull(mute?.until),
    created_at: iso(project.createdAt),
  }
}
