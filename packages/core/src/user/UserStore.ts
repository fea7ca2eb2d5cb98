import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { Role, User, UserId } from "./User.js"

/** A new user. */
export interface NewUser {
  readonly name: string
  readonly emailAddress: string
  readonly role: Role
  /** SHA-256 of the API key in hexadecimal; keys themselves are never stored. */
  readonly apiKeyHash: string
}

/** The part of a user that members see. */
export interface PersonName {
  readonly id: UserId
  readonly name: string
}

/** Of one answer of `listSharing`. */
export const maxPeople = 10_000

/** Keeps users and their memberships. */
export class UserStore extends Context.Service<
  UserStore,
  {
    /** Inserts an active user; none where an active one has the email address, whatever its case, or the API key. */
    readonly insert: (user: NewUser, now: DateTime.Utc) => Effect.Effect<Option.Option<User>, StorageError>

    /** Active or not. */
    readonly find: (id: UserId) => Effect.Effect<Option.Option<User>, StorageError>

    /** The names of users, active or not. */
    readonly names: (ids: ReadonlyArray<UserId>) => Effect.Effect<ReadonlyMap<UserId, string>, StorageError>

    /** The user of an email address, whatever its case: the active one, else the last who had it. */
    readonly findByEmailAddress: (emailAddress: string) => Effect.Effect<Option.Option<User>, StorageError>

    /** The active user of an API key. */
    readonly findByApiKeyHash: (apiKeyHash: string) => Effect.Effect<Option.Option<User>, StorageError>

    /** Active users, newest first. */
    readonly list: (page: PageRequest) => Effect.Effect<Page<User>, StorageError>

    /** Active users who are members of the project or admins, newest first. */
    readonly listWithAccess: (projectId: number, page: PageRequest) => Effect.Effect<Page<User>, StorageError>

    /**
     * Members of any of the projects and admins, active or not, newest first; all users where that is null. At most
     * `maxPeople`.
     */
    readonly listSharing: (
      projectIds: ReadonlyArray<number> | null,
    ) => Effect.Effect<ReadonlyArray<PersonName>, StorageError>

    /** Counts the active admins and locks them until the transaction ends. */
    readonly countActiveAdmins: Effect.Effect<number, StorageError>

    readonly setApiKeyHash: (
      id: UserId,
      apiKeyHash: string,
      now: DateTime.Utc,
    ) => Effect.Effect<void, StorageError>

    /** Marks the user as inactive and forgets the API key. */
    readonly deactivate: (id: UserId, now: DateTime.Utc) => Effect.Effect<void, StorageError>

    readonly setRole: (id: UserId, role: Role, now: DateTime.Utc) => Effect.Effect<void, StorageError>

    /** Idempotent. */
    readonly addMembership: (userId: UserId, projectId: number) => Effect.Effect<void, StorageError>

    /** Idempotent; also where there is no such user. */
    readonly removeMembership: (userId: UserId, projectId: number) => Effect.Effect<void, StorageError>
  }
>()("@errata/core/user/UserStore") {}
