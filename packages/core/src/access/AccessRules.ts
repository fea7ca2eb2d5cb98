/** Access rules: named functions of the actor, which embedding applications can replace. */
import type { Note } from "../note/Note.js"
import type { Project } from "../project/Project.js"
import { type Actor, type CredentialGrant, userIdOf } from "./Actor.js"

/** Rules about the instance. */
export type InstanceRule =
  | "projects.list"
  | "projects.create"
  | "people.list"
  | "users.read"
  | "users.administer"
  | "account.change"
  | "apps.list"
  | "apps.administer"
  | "policies.read"
  | "policies.administer"
  | "ingest.inspect"
  | "ingest.retry"
  | "ingest.discard"
  | "chunks.upload"
  | "health.inspect"

/**
 * Rules about one project. `groups.read` includes reports and notes. `project.inspect` covers the settings that admins
 * manage: members, source map origins, notifications. `mail.change` covers the actor's own mail settings.
 */
export type ProjectRule =
  | "project.read"
  | "project.inspect"
  | "project.administer"
  | "groups.read"
  | "groups.change"
  | "groups.discard"
  | "events.send"
  | "assignees.read"
  | "releases.read"
  | "releases.change"
  | "webhooks.read"
  | "webhooks.administer"
  | "alerts.read"
  | "alerts.administer"
  | "mail.change"
  | "artifacts.read"
  | "artifacts.upload"
  | "artifacts.administer"

/** Rules about one note, for actors who may change its group. */
export type NoteRule = "notes.remove"

/**
 * The grant that each rule requires in addition to its own check. It follows from what the rule permits, so it cannot
 * be replaced.
 */
export const requiredGrants: Readonly<Record<InstanceRule | ProjectRule | NoteRule, CredentialGrant>> = {
  "projects.list": "read",
  "projects.create": "write",
  "people.list": "read",
  "users.read": "read",
  "users.administer": "accounts",
  "account.change": "accounts",
  "apps.list": "read",
  "apps.administer": "write",
  "policies.read": "read",
  "policies.administer": "write",
  "ingest.inspect": "read",
  "ingest.retry": "write",
  "ingest.discard": "write",
  "chunks.upload": "write",
  "health.inspect": "read",
  "project.read": "read",
  "project.inspect": "read",
  "project.administer": "write",
  "groups.read": "read",
  "groups.change": "write",
  "groups.discard": "write",
  "events.send": "write",
  "assignees.read": "read",
  "releases.read": "read",
  "releases.change": "write",
  "webhooks.read": "read",
  "webhooks.administer": "write",
  "alerts.read": "read",
  "alerts.administer": "write",
  "mail.change": "write",
  "artifacts.read": "read",
  "artifacts.upload": "write",
  "artifacts.administer": "write",
  "notes.remove": "write",
}

/** All access rules by name. Replace those that do not fit your team. */
export interface AccessRules {
  readonly instance: Readonly<Record<InstanceRule, (actor: Actor) => boolean>>
  /**
   * Called twice: with null before the lookup, to check whether the actor may do this in any project, then with the
   * project. The first refusal is the same for every id, so it does not reveal which projects exist.
   */
  readonly project: Readonly<Record<ProjectRule, (actor: Actor, project: Project | null) => boolean>>
  readonly note: Readonly<Record<NoteRule, (actor: Actor, note: Note) => boolean>>
  /**
   * Ids of the projects that lists may show to the actor, or null for all. If you replace `project.read`, replace this
   * rule too: lists filter by these ids first, then by `project.read`. Null skips the second filter.
   */
  readonly visibleProjects: (actor: Actor) => ReadonlyArray<number> | null
}

/** Allows anyone with an account. */
export const anyone = (_actor: Actor): boolean => true

/** Allows admins and the system. */
export const admins = (actor: Actor): boolean => actor._tag === "System" || actor.user.role === "admin"

/** Allows members of the project, and admins. Without a project, allows anyone. */
export const members = (actor: Actor, project: Project | null): boolean =>
  admins(actor) || project === null || (actor._tag === "Person" && actor.user.projectIds.includes(project.id))

/** Allows the author of the note and admins. */
export const authors = (actor: Actor, note: Note): boolean =>
  admins(actor) || (note.user !== null && note.user.id === userIdOf(actor))

/** All projects for admins and the system; their own projects for members. */
export const memberships = (actor: Actor): ReadonlyArray<number> | null =>
  actor._tag === "System" || actor.user.role === "admin" ? null : actor.user.projectIds

/** The default rules. */
export const defaultRules: AccessRules = {
  instance: {
    "projects.list": anyone,
    "projects.create": admins,
    "people.list": anyone,
    "users.read": admins,
    "users.administer": admins,
    "account.change": anyone,
    "apps.list": anyone,
    "apps.administer": admins,
    "policies.read": admins,
    "policies.administer": admins,
    "ingest.inspect": admins,
    "ingest.retry": admins,
    "ingest.discard": admins,
    "chunks.upload": anyone,
    "health.inspect": admins,
  },
  project: {
    "project.read": members,
    "project.inspect": admins,
    "project.administer": admins,
    "groups.read": members,
    "groups.change": members,
    "groups.discard": admins,
    "events.send": members,
    "assignees.read": members,
    "releases.read": members,
    "releases.change": members,
    "webhooks.read": members,
    "webhooks.administer": admins,
    "alerts.read": members,
    "alerts.administer": admins,
    "mail.change": members,
    "artifacts.read": members,
    "artifacts.upload": members,
    "artifacts.administer": admins,
  },
  note: {
    "notes.remove": authors,
  },
  visibleProjects: memberships,
}
