/** Who may do what. Rules are named values, so a team that embeds Errata can replace any of them. */
import type { Note } from "../note/Note.js"
import type { Project } from "../project/Project.js"
import { type Actor, type CredentialGrant, userIdOf } from "./Actor.js"

/** Rules about the instance as a whole. */
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
 * Rules about one project; reading groups includes reading their reports and notes. To inspect a project is to see what
 * its admins decide: members, origins of source maps, notification settings. To change mail is to change one's own settings.
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

/** Rules about one note, for who may change its group. */
export type NoteRule = "notes.remove"

/**
 * The grant that an actor needs beside the rule's consent. It says whether what the rule lets happen changes anything,
 * so it is the rule's own and nothing to replace.
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

/** Every rule of access by its name, for the instance and for projects. Replace those that your team sees otherwise. */
export interface AccessRules {
  readonly instance: Readonly<Record<InstanceRule, (actor: Actor) => boolean>>
  /**
   * Asked twice: without a project before one is looked for, whether the actor may do it in any; then about the project.
   * The first refusal is the same for every id, so it says nothing of what exists.
   */
  readonly project: Readonly<Record<ProjectRule, (actor: Actor, project: Project | null) => boolean>>
  readonly note: Readonly<Record<NoteRule, (actor: Actor, note: Note) => boolean>>
  /**
   * The ids of the projects that lists show the actor, null for all. It goes with `project.read`: who replaces the one
   * looks at the other. Of these ids, those that `project.read` refuses are left out; of all, none is.
   */
  readonly visibleProjects: (actor: Actor) => ReadonlyArray<number> | null
}

/** Anyone with an account. */
export const anyone = (_actor: Actor): boolean => true

/** Admins, and the system. */
export const admins = (actor: Actor): boolean => actor._tag === "System" || actor.user.role === "admin"

/** Members of the project, and admins. Anyone may be a member of some project. */
export const members = (actor: Actor, project: Project | null): boolean =>
  admins(actor) || project === null || (actor._tag === "Person" && actor.user.projectIds.includes(project.id))

/** Who wrote it, and admins. */
export const authors = (actor: Actor, note: Note): boolean =>
  admins(actor) || (note.user !== null && note.user.id === userIdOf(actor))

/** All projects for admins, and for members theirs. */
export const memberships = (actor: Actor): ReadonlyArray<number> | null =>
  actor._tag === "System" || actor.user.role === "admin" ? null : actor.user.projectIds

/** The rules of the specification. */
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
