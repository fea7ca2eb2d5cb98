import { DateTime, Effect, Redacted, Schema } from "effect"
import { AccessPolicy } from "../access/AccessPolicy.js"
import { apiKeyPrefix, generateApiKey, hashApiKey } from "../access/Secrets.js"
import { taken, ValidationError } from "../access/ValidationError.js"
import type { PageRequest } from "../storage/Page.js"
import { Storage } from "../storage/Storage.js"
import type { Role, User, UserId } from "./User.js"
import { UserStore } from "./UserStore.js"

/** No active user has this API key. */
export class InvalidApiKey extends Schema.TaggedError<InvalidApiKey>()("InvalidApiKey", {}) {}

/** No such user. */
export class UserNotFound extends Schema.TaggedError<UserNotFound>()("UserNotFound", {
  user: Schema.String,
}) {}

export interface CreateUser {
  readonly name: string
  readonly emailAddress: string
  readonly role: Role
  /** A key of the caller's choice; without it a fresh one is made. */
  readonly apiKey?: Redacted.Redacted | undefined
}

/** A user together with the API key, which is nowhere to be had again. */
export interface UserWithApiKey {
  readonly user: User
  readonly apiKey: Redacted.Redacted
}

/** The people who work with Errata. */
export class Users extends Effect.Service<Users>()("@errata/core/user/Users", {
  effect: Effect.gen(function* () {
    const access = yield* AccessPolicy
    const storage = yield* Storage
    const users = yield* UserStore

    /** The active user of an API key. */
    const authenticate = Effect.fn("Users.authenticate")(function* (apiKey: Redacted.Redacted) {
      // Keys are found by their hash: comparing them takes the same time however much of a guess is right.
      const found = yield* users.findByApiKeyHash(hashApiKey(apiKey))
      return found._tag === "None" ? yield* new InvalidApiKey() : found.value
    })

    const create = Effect.fn("Users.create")(function* (input: CreateUser) {
      yield* access.check("users.administer")
      yield* validate(input)
      const apiKey = input.apiKey ?? (yield* generateApiKey)
      const created = yield* users.insert(
        {
          name: input.name.trim(),
          emailAddress: input.emailAddress.trim(),
          role: input.role,
          apiKeyHash: hashApiKey(apiKey),
        },
        yield* DateTime.now,
      )
      if (created._tag === "None") {
        const holder = yield* users.findByEmailAddress(input.emailAddress.trim())
        const isAddressTaken = holder._tag === "Some" && holder.value.active
        return yield* ValidationError.of(isAddressTaken ? "email_address" : "api_key", taken)
      }
      return { user: created.value, apiKey } satisfies UserWithApiKey
    })

    /** Active users, newest first. */
    const list = Effect.fn("Users.list")(function* (page: PageRequest) {
      yield* access.check("users.administer")
      return yield* users.list(page)
    })

    /** The active user of an e-mail address. */
    const findByEmailAddress = Effect.fn("Users.findByEmailAddress")(function* (emailAddress: string) {
      yield* access.check("users.administer")
      const found = yield* users.findByEmailAddress(emailAddress)
      return found._tag === "None" || !found.value.active
        ? yield* new UserNotFound({ user: emailAddress })
        : found.value
    })

    /** Replaces the API key of an active user; the old one stops working at once. */
    const rotateApiKey = Effect.fn("Users.rotateApiKey")(function* (id: UserId) {
      yield* access.check("users.administer")
      const user = yield* active(id)
      const apiKey = yield* generateApiKey
      yield* users.setApiKeyHash(id, hashApiKey(apiKey), yield* DateTime.now)
      return { user, apiKey } satisfies UserWithApiKey
    })

    /** Ends a user's access at once. The last active admin cannot be deactivated. */
    const deactivate = Effect.fn("Users.deactivate")(function* (id: UserId) {
      yield* access.check("users.administer")
      yield* storage.transaction(
        Effect.gen(function* () {
          const user = yield* active(id)
          if (user.role === "admin" && (yield* users.countActiveAdmins) <= 1) {
            return yield* ValidationError.of("user", "the last active admin can't be deactivated")
          }
          yield* users.deactivate(id, yield* DateTime.now)
        }),
      )
    })

    const active = Effect.fn("Users.active")(function* (id: UserId) {
      const found = yield* users.find(id)
      return found._tag === "None" || !found.value.active
        ? yield* new UserNotFound({ user: String(id) })
        : found.value
    })

    return { authenticate, create, list, findByEmailAddress, rotateApiKey, deactivate }
  }),
}) {}

// internal

const maxLength = 200

const validate = (input: CreateUser) => {
  const errors: Record<string, Array<string>> = {}
  const name = input.name.trim()
  const emailAddress = input.emailAddress.trim()
  if (name === "") errors["name"] = ["can't be blank"]
  else if (name.length > maxLength) errors["name"] = [`is too long (maximum is ${maxLength} characters)`]
  if (emailAddress.length > maxLength || !/^[^\s@]+@[^\s@]+$/.test(emailAddress)) {
    errors["email_address"] = ["is not an e-mail address"]
  }
  if (input.apiKey !== undefined && !isApiKey(Redacted.value(input.apiKey))) {
    errors["api_key"] = [
      `must start with ${apiKeyPrefix} and have at least 16 more characters, without spaces`,
    ]
  }
  return Object.keys(errors).length > 0 ? Effect.fail(new ValidationError({ errors })) : Effect.void
}

const isApiKey = (text: string): boolean => /^errata_[\x21-\x7e]{16,200}$/.test(text)
