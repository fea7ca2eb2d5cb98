import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Page, PageRequest } from "../storage/Page.js"
import type { StorageError } from "../storage/StorageError.js"
import type { Role, User, UserId } from "./User.js"

/** A new user. */
export interface NewUser {
  readonly name: string
  readonly emailAddress: string
  readonly role: Role
  /** SHA-256 of the API key in hexadecimal. Keys are never stored. */
  readonly apiKeyHash: string
}

/** The part of a user that members see. */
export interface PersonName {
  readonly id: UserId
  readonly name: string
}

/** Maximum number of users that `listSharing` returns. */
export const maxPeople = 10_000

/** Stores users and their memberships. */
export class UserStore extends Context.Service<
  UserStore,
  {
    /** Inserts an active user. None if an active one has the email address (case-insensitive) or the API key. */
    readonly insert: (user: NewUser, now: DateTime.Utc) => Effect.Effect<Option.Option<User>, StorageError>

    /** A user, active or not. */
    readonly find: (id: UserId) => Effect.Effect<Option.Option<User>, StorageError>

    /** The names of users, active or not. */
    readonly names: (ids: ReadonlyArray<UserId>) => Effect.Effect<ReadonlyMap<UserId, string>, StorageError>

    /** The user of an email address (case-insensitive): the active one, or else the last. */
    readonly findByEmailAddress: (emailAddress: string) => Effect.Effect<Option.Option<User>, StorageError>

    /** The active user of an API key. */
    readonly findByApiKeyHash: (apiKeyHash: string) => Effect.Effect<Option.Option<User>, StorageError>

    /** Active users, newest first: all, or the members of a project and the admins. */
    readonly list: (projectId: number | null, page: PageRequest) => Effect.Effect<Page<User>, StorageError>

    /**
     * Members of any of the projects and admins, active or not, newest first, at most `maxPeople`. Null means all
     * users.
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

    /** Marks the user as inactive and deletes the API key. */
    readonly deactivate: (id: UserId, now: DateTime.Utc) => Effect.Effect<void, StorageError>

    readonly setRole: (id: UserId, role: Role, now: DateTime.Utc) => Effect.Effect<void, StorageError>

    /** Idempotent. */
    readonly addMembership: (userId: UserId, projectId: number) => Effect.Effect<void, StorageError>

    /** Idempotent, even if the user does not exist. */
    readonly removeMembership: (userId: UserId, projectId: number) => Effect.Effect<void, StorageError>
  }
>()("@errata/core/user/UserStore") {}
