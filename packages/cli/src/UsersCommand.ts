/** `errata users`: users and their API keys. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { apiCommand } from "./api/ApiCommand.js"
import { connectionOptions, optionalText, pageOptions, textArgument } from "./api/ApiOptions.js"
import { list as listing } from "./api/Listing.js"
import { note } from "./api/Output.js"
import { connected, show } from "./api/Session.js"
import { findUser } from "./api/UserReference.js"
import { createdLines, keyLines, linkLines, userColumns, userLines } from "./api/UserText.js"
import { eitherWay, overApiOr } from "./EitherWay.js"
import { directStorageOptions } from "./StorageOptions.js"

const emailAddress = textArgument("email", "Email address of the user")

const user = textArgument("user", "Id or email address of the user")

/** For commands that can use the storage, which finds users by email address only. */
const userOfEither = textArgument("user", "Email address of the user, or the id if the API is used")

const create = Command.make(
  "create",
  {
    ...connectionOptions,
    ...directStorageOptions,
    emailAddress,
    name: optionalText("name", "Name of the user. Default: the email address"),
    role: Flag.Literals("role", ["admin", "member"]).pipe(
      Flag.withDefault("member"),
      Flag.withDescription("Role of the user: admin or member. Default: member"),
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
    `Create a user and print a one-time sign-in link. ${eitherWay}, which also prints the API key`,
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
    `Print a one-time sign-in link for a user, e.g. after a lost password. ${eitherWay}`,
  ),
)

const rotateKey = Command.make(
  "rotate-key",
  { user: userOfEither, ...connectionOptions, ...directStorageOptions },
  (choice) =>
    overApiOr(
      choice,
      connected(choice, ({ client }) =>
        Effect.gen(function* () {
          const id = yield* findUser(client, choice.user)
          yield* show(choice, yield* client.users.rotateApiKey(id), keyLines)
        }),
      ),
      (storage) =>
        Effect.flatMap(storageUsers, (users) => users.rotateKey(storage, choice.user, choice.json)),
    ),
).pipe(Command.withDescription(`Replace the API key of a user and print the new one. ${eitherWay}`))

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
      (storage) => Effect.flatMap(storageUsers, (users) => users.list(storage, choice)),
    ),
).pipe(Command.withDescription(`List the active users. ${eitherWay}`))

const get = apiCommand("get", "Show a user (admin, over the API)", { user }, function* (choice, { client }) {
  yield* show(choice, yield* client.users.get(yield* findUser(client, choice.user)), userLines)
})

const setRole = apiCommand(
  "set-role",
  "Change the role of a user (admin, over the API)",
  {
    user,
    role: Argument.Literals("role", ["admin", "member"]).pipe(
      Argument.withDescription("New role: admin or member"),
    ),
  },
  function* (choice, { client }) {
    const id = yield* findUser(client, choice.user)
    yield* show(choice, yield* client.users.update(id, { role: choice.role }), userLines)
  },
)

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
).pipe(Command.withDescription(`Deactivate a user. ${eitherWay}`))

export const users = Command.make("users").pipe(
  Command.withDescription("Manage users, their roles and their API keys"),
  Command.withSubcommands([list, get, create, signInLink, setRole, rotateKey, deactivate]),
)

// internal

/** Loaded on demand, because it imports the core and its services. */
const storageUsers = Effect.promise(() => import("./StorageUsers.js"))
