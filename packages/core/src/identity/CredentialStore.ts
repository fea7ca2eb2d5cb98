import { Context, type DateTime, type Duration, type Effect, type Option } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import type { UserId } from "../user/User.js"

/** Stores credentials: password hashes and one-time links. Times come from the storage's clock. */
export class CredentialStore extends Context.Service<
  CredentialStore,
  {
    /** The format is that of `Password.hash`. */
    readonly findPassword: (userId: UserId) => Effect.Effect<Option.Option<string>, StorageError>

    readonly setPassword: (userId: UserId, hash: string) => Effect.Effect<void, StorageError>

    /** Replaces the user's link, if any. Returns the time when the new one expires. */
    readonly putLink: (
      userId: UserId,
      tokenHash: string,
      lifetime: Duration.Duration,
    ) => Effect.Effect<DateTime.Utc, StorageError>

    /** Finds the user of a link that has not expired. */
    readonly findLink: (tokenHash: string) => Effect.Effect<Option.Option<UserId>, StorageError>

    /** Finds the user of a link and deletes the link. Of concurrent calls, one succeeds. */
    readonly takeLink: (tokenHash: string) => Effect.Effect<Option.Option<UserId>, StorageError>

    /** Deletes the password and the link of a user. */
    readonly forget: (userId: UserId) => Effect.Effect<void, StorageError>

    /** Deletes at most `limit` expired links. Returns their number. */
    readonly expire: (limit: number) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/identity/CredentialStore") {}
