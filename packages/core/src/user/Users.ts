import { Context, DateTime, Effect, Layer, Option, Redacted, Schema } from "effect"
import type { AuthorizedInstance } from "../access/AccessPolicy.js"
import { apiKeyPrefix, generateApiKey, hashApiKey, isApiKey } from "../access/Secrets.js"
import { CredentialStore } from "../identity/CredentialStore.js"
import { SessionStore } from "../identity/SessionStore.js"
import { SignIn } from "../identity/SignIn.js"
import type { SignInLink } from "../identity/SignInLink.js"
import { OAuthStore } from "../oauth/OAuthStore.js"
import { ProjectStore } from "../project/ProjectStore.js"
import * as Page from "../storage/Page.js"
import * as Transactions from "../storage/Transactions.js"
import { isStorable, notStorable, textProblem } from "../validation/StorableText.js"
import { taken, ValidationError } from "../validation/ValidationError.js"
import type { Role, User, UserId } from "./User.js"
import { withAccess } from "./UserAccess.js"
import { UserNotFound } from "./UserNotFound.js"
import { UserStore } from "./UserStore.js"

/** No active user has this API key. */
export class InvalidApiKey extends Schema.TaggedError<InvalidApiKey>()("InvalidApiKey", {}) {}

/** The input for a new user. Fails with a `ValidationError` that names the field. */
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

/** The same together with the link that signs the user in for the first time. */
export interface InvitedUser extends UserWithApiKey {
  readonly link: SignInLink
}

/** The people who work with Errata. */
export class Users extends Context.Service<Users>()("@errata/core/user/Users", {
  make: Effect.gen(function* () {
    const transaction = yield* Transactions.make
    const users = yield* UserStore
    const projects = yield* ProjectStore
    const credentials = yield* CredentialStore
    const sessions = yield* SessionStore
    const oauth = yield* OAuthStore
    const signIn = yield* SignIn

    /** The active user of an API key. */
    const authenticate = Effect.fn("Users.authenticate")(function* (apiKey: Redacted.Redacted) {
      // Keys are found by their hash: comparing them takes the same time however much of a guess is right.
      const found = yield* users.findByApiKeyHash(hashApiKey(apiKey))
      return found._tag === "None" ? yield* new InvalidApiKey() : found.value
    })

    const create = Effect.fn("Users.create")(function* (
      _allowed: AuthorizedInstance<"users.administer">,
      input: CreateUser,
    ) {
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
        return yield* ValidationError.of(isAddressTaken ? "emailAddress" : "apiKey", taken)
      }
      return { user: created.value, apiKey } satisfies UserWithApiKey
    })

    /** Creates a user who chooses a password, and an API key unless this one reaches them, once the link has signed them in. */
    const invite = Effect.fn("Users.invite")(function* (
      allowed: AuthorizedInstance<"users.administer">,
      input: CreateUser,
    ) {
      return yield* transaction(
        Effect.gen(function* () {
          const created = yield* create(allowed, input)
          const link = yield* signIn
            .createLink(allowed, created.user.id)
            .pipe(Effect.catchTag("UserNotFound", (error) => Effect.die(error)))
          return { ...created, link } satisfies InvitedUser
        }),
      )
    })

    /** Active users, newest first. */
    const list = Effect.fn("Users.list")(function* (
      _allowed: AuthorizedInstance<"users.read">,
      page: Page.PageRequest,
    ) {
      const { items, nextCursor } = yield* users.list(yield* Page.checked(page))
      return { items: yield* withAccess(projects, items), nextCursor }
    })

    /** A user, active or not. */
    const get = Effect.fn("Users.get")(function* (_allowed: AuthorizedInstance<"users.read">, id: UserId) {
      return yield* shown(yield* existing(id))
    })

    /** The active user of an email address. */
    const findByEmailAddress = Effect.fn("Users.findByEmailAddress")(function* (
      _allowed: AuthorizedInstance<"users.read">,
      emailAddress: string,
    ) {
      // No storage can be asked about others.
      const found = isStorable(emailAddress)
        ? yield* users.findByEmailAddress(emailAddress)
        : Option.none<User>()
      return found._tag === "None" || !found.value.active
        ? yield* new UserNotFound({ user: emailAddress })
        : found.value
    })

    /** Replaces the API key of an active user; the old one stops working at once. */
    const rotateApiKey = Effect.fn("Users.rotateApiKey")(function* (
      _allowed: AuthorizedInstance<"users.administer">,
      id: UserId,
    ) {
      const user = yield* active(id)
      const apiKey = yield* generateApiKey
      yield* users.setApiKeyHash(id, hashApiKey(apiKey), yield* DateTime.now)
      return { user, apiKey } satisfies UserWithApiKey
    })

    /** The same for whoever asks. */
    const rotateOwnApiKey = Effect.fn("Users.rotateOwnApiKey")(function* (
      allowed: AuthorizedInstance<"account.change">,
    ) {
      const { actor } = allowed
      if (actor._tag === "System") return yield* new UserNotFound({ user: "system" })
      const user = yield* active(actor.user.id)
      const apiKey = yield* generateApiKey
      yield* users.setApiKeyHash(user.id, hashApiKey(apiKey), yield* DateTime.now)
      return { user, apiKey } satisfies UserWithApiKey
    })

    /** Makes an active user an admin or a member. The last active admin cannot be demoted. */
    const setRole = Effect.fn("Users.setRole")(function* (
      _allowed: AuthorizedInstance<"users.administer">,
      id: UserId,
      role: Role,
    ) {
      return yield* transaction(
        Effect.gen(function* () {
          const { admins, user } = yield* lockAdminsAndFind(id)
          if (!user.active)
            return yield* ValidationError.of("role", "can't be changed: the user is deactivated")
          if (user.role !== role) {
            if (user.role === "admin" && admins <= 1) {
              return yield* ValidationError.of("role", "can't be changed: the user is the last active admin")
            }
            yield* users.setRole(id, role, yield* DateTime.now)
          }
          return yield* shown(yield* existing(id))
        }),
      )
    })

    /** Ends a user's access at once, with API key, password, links, sessions and connected applications; idempotent. The last active admin cannot be deactivated. */
    const deactivate = Effect.fn("Users.deactivate")(function* (
      _allowed: AuthorizedInstance<"users.administer">,
      id: UserId,
    ) {
      yield* transaction(
        Effect.gen(function* () {
          const { admins, user } = yield* lockAdminsAndFind(id)
          if (!user.active) return
          if (user.role === "admin" && admins <= 1) {
            return yield* ValidationError.of(
              "user",
              "can't be deactivated: the user is the last active admin",
            )
          }
          yield* users.deactivate(id, yield* DateTime.now)
          // They mean nothing as soon as the user is not active; this leaves nothing lying about.
          yield* credentials.forget(id)
          yield* sessions.endAll(id, null)
          yield* oauth.disconnectUser(id)
        }),
      )
    })

    // The lock first: a user who is a member when looked at may be an admin, and the last one, a moment later.
    const lockAdminsAndFind = Effect.fn("Users.lockAdminsAndFind")(function* (id: UserId) {
      const admins = yield* users.countActiveAdmins
      return { admins, user: yield* existing(id) }
    })

    const existing = Effect.fn("Users.existing")(function* (id: UserId) {
      const found = yield* users.find(id)
      return found._tag === "None" ? yield* new UserNotFound({ user: String(id) }) : found.value
    })

    const active = Effect.fn("Users.active")(function* (id: UserId) {
      const user = yield* existing(id)
      return user.active ? user : yield* new UserNotFound({ user: String(id) })
    })

    const shown = (user: User) => Effect.map(withAccess(projects, [user]), ([found = user]) => found)

    return {
      authenticate,
      create,
      invite,
      list,
      get,
      findByEmailAddress,
      rotateApiKey,
      rotateOwnApiKey,
      setRole,
      deactivate,
    }
  }),
}) {
  static readonly DefaultWithoutDependencies = Layer.effect(this, this.make)
  static readonly Default = this.DefaultWithoutDependencies.pipe(Layer.provide(SignIn.Default))
}

// internal

const maxLength = 200

const validate = ({ apiKey, emailAddress, name }: CreateUser) =>
  ValidationError.ensure({
    name: textProblem(name.trim(), maxLength),
    emailAddress: emailAddressProblem(emailAddress.trim()),
    apiKey:
      apiKey === undefined || isApiKey(Redacted.value(apiKey))
        ? null
        : `must start with ${apiKeyPrefix} and have at least 16 more characters, without spaces`,
  })

const emailAddressProblem = (text: string): string | null => {
  if (!isStorable(text)) return notStorable
  return text.length > maxLength || !/^[^\s@]+@[^\s@]+$/.test(text) ? "is not an email address" : null
}
