/**
 * `errata users`: people and their API keys. What needs keys works straight on the storage, what the API can do goes
 * over it; `list` and `deactivate` go either way.
 */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { type ConnectionChoice, connectionOptions, pageOptions } from "./api/ApiOptions.js"
import { knownUrl } from "./api/Connection.js"
import { list as listing } from "./api/Listing.js"
import { note } from "./api/Output.js"
import { connected, show } from "./api/Session.js"
import { findUser } from "./api/UserReference.js"
import { createdLines, linkLines, userColumns, userLines } from "./api/UserText.js"
import { directStorageOptions, isStorageNamed, type StorageFlags, storageOptions } from "./StorageOptions.js"

const emailAddress = Args.text({ name: "email" }).pipe(Args.withDescription("The user's e-mail address"))

const user = Args.text({ name: "user" }).pipe(Args.withDescription("The user, by id or e-mail address"))

/** Where the storage may be asked instead of the API: it knows users by their addresses. */
const userOfEither = Args.text({ name: "user" }).pipe(
  Args.withDescription("The user, by e-mail address; over the API also by id"),
)

const eitherWay = "over the API where a server is known and no storage option is given, else on the storage"

const create = Command.make(
  "create",
  {
    ...connectionOptions,
    ...directStorageOptions,
    emailAddress,
    name: Options.text("name").pipe(Options.optional, Options.withDescription("Default: the e-mail address")),
    role: Options.choice("role", ["admin", "member"]).pipe(
      Options.withDefault("member"),
      Options.withDescription("admin or member (the default)"),
    ),
  },
  ({ name, role, emailAddress: address, ...choice }) => {
    const user = { name: Option.getOrElse(name, () => address), role }
    return overApiOr(
      choice,
      connected(choice, ({ client }) =>
        Effect.gen(function* () {
          yield* show(choice, yield* client.users.create({ ...user, email_address: address }), createdLines)
        }),
      ),
      (storage) =>
        Effect.flatMap(storageUsers, (users) =>
          users.create(storage, { ...user, emailAddress: address }, choice.json),
        ),
    )
  },
).pipe(
  Command.withDescription(
    `Create a user and print a link that signs in once: ${eitherWay}, which prints the API key as well`,
  ),
)

const signInLink = Command.make(
  "sign-in-link",
  {
    user: userOfEither,
    ...connectionOptions,
    ...directStorageOptions,
  },
  (choice) =>
    overApiOr(
      choice,
      connected(choice, ({ client }) =>
        Effect.gen(function* () {
          const id = yield* findUser(client, choice.user)
          yield* show(choice, yield* client.users.createSignInLink(id), linkLines)
        }),
      ),
      (storage) =>
        Effect.flatMap(storageUsers, (users) => users.signInLink(storage, choice.user, choice.json)),
    ),
).pipe(
  Command.withDescription(
    `Print a link that signs a user in once, say because a password is lost: ${eitherWay}`,
  ),
)

const rotateKey = Command.make(
  "rotate-key",
  { ...storageOptions, emailAddress },
  ({ emailAddress: address, ...storage }) =>
    Effect.flatMap(storageUsers, (users) => users.rotateKey(storage, address)),
).pipe(Command.withDescription("Replace a user's API key on the storage and print the new one"))

const list = Command.make(
  "list",
  { ...pageOptions, ...connectionOptions, ...directStorageOptions },
  (choice) =>
    overApiOr(
      choice,
      connected(choice, ({ client }) =>
        listing({
          choice,
          columns: userColumns,
          empty: "No users.",
          page: (query) => client.users.list(query),
          items: ({ users }) => users,
          stream: (query) => client.users.stream(query),
        }),
      ),
      (storage) => Effect.flatMap(storageUsers, (users) => users.list(storage, choice.json)),
    ),
).pipe(Command.withDescription(`List the active users: ${eitherWay}`))

const get = Command.make("get", { user, ...connectionOptions }, (choice) =>
  connected(choice, ({ client }) =>
    Effect.gen(function* () {
      yield* show(choice, yield* client.users.get(yield* findUser(client, choice.user)), userLines)
    }),
  ),
).pipe(Command.withDescription("Show a user (admin, over the API)"))

const setRole = Command.make(
  "set-role",
  {
    user,
    role: Args.choice(
      [
        ["admin", "admin"],
        ["member", "member"],
      ] as const,
      { name: "role" },
    ).pipe(Args.withDescription("admin or member")),
    ...connectionOptions,
  },
  (choice) =>
    connected(choice, ({ client }) =>
      Effect.gen(function* () {
        const id = yield* findUser(client, choice.user)
        yield* show(choice, yield* client.users.update(id, { role: choice.role }), userLines)
      }),
    ),
).pipe(Command.withDescription("Change the role of a user (admin, over the API)"))

const deactivate = Command.make(
  "deactivate",
  {
    user: userOfEither,
    ...connectionOptions,
    ...directStorageOptions,
  },
  (choice) =>
    overApiOr(
      choice,
      connected(choice, ({ client, url }) =>
        Effect.gen(function* () {
          yield* client.users.deactivate(yield* findUser(client, choice.user))
          yield* note(`${choice.user} no longer has access to ${url}.`)
        }),
      ),
      (storage) => Effect.flatMap(storageUsers, (users) => users.deactivate(storage, choice.user)),
    ),
).pipe(Command.withDescription(`End a user's access: ${eitherWay}`))

export const users = Command.make("users").pipe(
  Command.withDescription("People, their roles and their API keys"),
  Command.withSubcommands([list, get, create, signInLink, setRole, rotateKey, deactivate]),
)

// internal

/** Loaded where it is used: it brings the core and its services with it. */
const storageUsers = Effect.promise(() => import("./StorageUsers.js"))

const overApiOr = <A, E, R, B, E2, R2>(
  choice: ConnectionChoice & StorageFlags,
  overApi: Effect.Effect<A, E, R>,
  onStorage: (storage: StorageFlags) => Effect.Effect<B, E2, R2>,
) =>
  Effect.gen(function* () {
    if (!isStorageNamed(choice) && Option.isSome(yield* knownUrl(choice))) return yield* overApi
    return yield* onStorage(choice)
  })
