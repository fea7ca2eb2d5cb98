/** Tokens of unsubscribe links: sealed texts that name the mail to stop. Need no sign-in. */
import { Effect, type Option, Redacted, Schema } from "effect"
import { TargetId } from "../delivery/Target.js"
import * as Keyring from "../encryption/Keyring.js"
import { SealedSecret } from "../encryption/SealedSecret.js"
import { ProjectId } from "../project/Project.js"
import { UserId } from "../user/User.js"

/** The mail that a link stops: to a member of a project, or to one address of a target. */
export const Subscription = Schema.Union([
  Schema.TaggedStruct("Member", { projectId: ProjectId, userId: UserId }),
  Schema.TaggedStruct("Address", { projectId: ProjectId, targetId: TargetId, address: Schema.String }),
])
export type Subscription = typeof Subscription.Type

/** Seals a subscription, for a URL. Fails without an encryption key. */
export const make = (subscription: Subscription): Effect.Effect<string, Keyring.EncryptionKeyMissing> =>
  Effect.flatMap(Keyring.Keyring, (keyring) =>
    Keyring.seal(keyring, Redacted.make(JSON.stringify(subscription)), place),
  )

/** Reads the token of a URL; none if this instance did not make it, or the key has been removed since. */
export const read = (token: string): Effect.Effect<Option.Option<Subscription>> =>
  Effect.flatMap(Keyring.Keyring, (keyring) =>
    token.length > maxLength
      ? Effect.succeedNone
      : Keyring.open(keyring, SealedSecret.make(token), place).pipe(
          Effect.flatMap((text) => decode(Redacted.value(text))),
          Effect.option,
        ),
  )

// internal

const place = "unsubscribe"

const maxLength = 2_000

const decode = Schema.decodeEffect(Schema.fromJsonString(Subscription))
