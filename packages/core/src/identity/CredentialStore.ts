import { Context, type DateTime, type Duration, type Effect, type Option } from "effect"
import type { StorageError } from "../storage/StorageError.js"
import type { UserId } from "../user/User.js"

/** Keeps what people sign in with: passwords and one-time links. Time is told by the storage's clock. */
export class CredentialStore extends Context.Service<
  CredentialStore,
  {
    /** As `Password.hash` wrote it. */
    readonly findPassword: (userId: UserId) => Effect.Effect<Option.Option<string>, StorageError>

    readonly setPassword: (userId: UserId, hash: string) => Effect.Effect<void, StorageError>

    /** A user has one link: the former one no longer works. Answers when the new one ends. */
    readonly putLink: (
      userId: UserId,
      tokenHash: string,
      lifetime: Duration.Duration,
    ) => Effect.Effect<DateTime.Utc, StorageError>

    /** Whose link it is, while it works. */
    readonly findLink: (tokenHash: string) => Effect.Effect<Option.Option<UserId>, StorageError>

    /** The same, and it works no longer: of several who ask at once one gets an answer. */
    readonly takeLink: (tokenHash: string) => Effect.Effect<Option.Option<UserId>, StorageError>

    /** Forgets the password and the link of a user. */
    readonly forget: (userId: UserId) => Effect.Effect<void, StorageError>

    /** Removes at most so many links that have ended; answers how many. */
    readonly expire: (limit: number) => Effect.Effect<number, StorageError>
  }
>()("@errata/core/identity/CredentialStore") {}
