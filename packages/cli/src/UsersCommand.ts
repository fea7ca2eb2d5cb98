/** `errata users`: people and their API keys, straight on the storage. */

import { Args, Command, Options } from "@effect/cli"
import { type Role, type User, Users, ValidationError } from "@errata/core"
import { Console, Effect, Option, Redacted } from "effect"
import { asSystem } from "./AsSystem.js"
import { CommandFailed, sentences } from "./ErrorOutput.js"
import { type StorageChoice, storageOptions } from "./StorageOptions.js"
import { table } from "./Table.js"

const emailAddress = Args.text({ name: "email" }).pipe(Args.withDescription("The user's e-mail address"))

const create = Command.make(
  "create",
  {
    ...storageOptions,
    emailAddress,
    name: Options.text("name").pipe(Options.optional, Options.withDescription("Default: the e-mail address")),
    role: Options.choice("role", ["admin", "member"] as const).pipe(
      Options.withDefault("member" satisfies Role),
      Options.withDescription("admin or member (the default)"),
    ),
  },
  ({ name, role, emailAddress: address, ...storage }) =>
    withUsers(storage, (users) =>
      Effect.gen(function* () {
        const { user, apiKey } = yield* users.create({
          name: Option.getOrElse(name, () => address),
          emailAddress: address,
          role,
        })
        yield* Console.log(`Created ${user.role} ${user.emailAddress} with id ${user.id}.`)
        yield* printApiKey(apiKey)
      }),
    ),
).pipe(Command.withDescription("Create a user and print the API key"))

const list = Command.make("list", storageOptions, (storage) =>
  withUsers(storage, (users) =>
    Effect.gen(function* () {
      const all: Array<User> = []
      let cursor: number | null = null
      do {
        const page: Effect.Effect.Success<ReturnType<Users["list"]>> = yield* users.list({
          limit: 100,
          cursor,
        })
        all.push(...page.items)
        cursor = page.nextCursor
      } while (cursor !== null)
      yield* Console.log(
        table(
          ["ID", "E-MAIL", "NAME", "ROLE", "PROJECTS"],
          all.map((user) => [
            String(user.id),
            user.emailAddress,
            user.name,
            user.role,
            user.role === "admin" ? "all" : user.projectIds.join(","),
          ]),
        ),
      )
    }),
  ),
).pipe(Command.withDescription("List the active users"))

const rotateKey = Command.make(
  "rotate-key",
  { ...storageOptions, emailAddress },
  ({ emailAddress: address, ...storage }) =>
    withUsers(storage, (users) =>
      Effect.gen(function* () {
        const { id } = yield* users.findByEmailAddress(address)
        const { apiKey } = yield* users.rotateApiKey(id)
        yield* Console.log(`The former API key of ${address} no longer works.`)
        yield* printApiKey(apiKey)
      }),
    ),
).pipe(Command.withDescription("Replace a user's API key and print the new one"))

const deactivate = Command.make(
  "deactivate",
  { ...storageOptions, emailAddress },
  ({ emailAddress: address, ...storage }) =>
    withUsers(storage, (users) =>
      Effect.gen(function* () {
        const { id } = yield* users.findByEmailAddress(address)
        yield* users.deactivate(id)
        yield* Console.log(`${address} no longer has access.`)
      }),
    ),
).pipe(Command.withDescription("End a user's access"))

export const users = Command.make("users").pipe(
  Command.withDescription("Manage users"),
  Command.withSubcommands([create, list, rotateKey, deactivate]),
)

// internal

const withUsers = <A, E, R>(storage: StorageChoice, use: (users: Users) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Users, use).pipe(
    Effect.mapError((error) =>
      error instanceof ValidationError ? new CommandFailed({ message: sentences(error) }) : error,
    ),
    asSystem(storage),
  )

const printApiKey = (apiKey: Redacted.Redacted) =>
  Console.log(`API key, shown only now: ${Redacted.value(apiKey)}`)
