/** People and their API keys, straight on the storage: for who starts commands on the host. */
import { userView } from "@errata/api"
import { AccessPolicy, type Role, type User, UserNotFound, Users, ValidationError } from "@errata/core"
import { Console, Effect, Redacted } from "effect"
import { asSystem } from "./AsSystem.js"
import { printJson } from "./api/Output.js"
import { CommandFailed, sentences } from "./ErrorOutput.js"
import type { StorageFlags } from "./StorageOptions.js"
import { table } from "./Table.js"

export const create = (
  storage: StorageFlags,
  user: { readonly name: string; readonly emailAddress: string; readonly role: Role },
) =>
  withUsers(storage, (users, access) =>
    Effect.gen(function* () {
      const created = yield* users.create(yield* access.instance("users.administer"), user)
      yield* Console.log(
        `Created ${created.user.role} ${created.user.emailAddress} with id ${created.user.id}.`,
      )
      yield* printApiKey(created.apiKey)
    }),
  )

export const list = (storage: StorageFlags, isJson: boolean) =>
  withUsers(storage, (users, access) =>
    Effect.gen(function* () {
      const allowed = yield* access.instance("users.read")
      const all: Array<User> = []
      let cursor: number | null = null
      do {
        const page: Effect.Effect.Success<ReturnType<Users["list"]>> = yield* users.list(allowed, {
          limit: 100,
          cursor,
        })
        all.push(...page.items)
        cursor = page.nextCursor
      } while (cursor !== null)
      // In the shape of a page of the API, which has everything.
      if (isJson) return yield* printJson({ users: all.map(userView), next_cursor: null, has_more: false })
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
  )

export const rotateKey = (storage: StorageFlags, emailAddress: string) =>
  withUsers(storage, (users, access) =>
    Effect.gen(function* () {
      const { id } = yield* users.findByEmailAddress(yield* access.instance("users.read"), emailAddress)
      const { apiKey } = yield* users.rotateApiKey(yield* access.instance("users.administer"), id)
      yield* Console.log(`The former API key of ${emailAddress} no longer works.`)
      yield* printApiKey(apiKey)
    }),
  )

export const deactivate = (storage: StorageFlags, emailAddress: string) =>
  withUsers(storage, (users, access) =>
    Effect.gen(function* () {
      const { id } = yield* users.findByEmailAddress(yield* access.instance("users.read"), emailAddress)
      yield* users.deactivate(yield* access.instance("users.administer"), id)
      yield* Console.log(`${emailAddress} no longer has access.`)
    }),
  )

// internal

/** What the commands call the fields of a user. */
const argumentNames = { emailAddress: "email", name: "--name" }

const withUsers = <A, E, R>(
  storage: StorageFlags,
  use: (users: Users, access: AccessPolicy.AccessPolicy["Type"]) => Effect.Effect<A, E, R>,
) =>
  Effect.all([Users, AccessPolicy.AccessPolicy]).pipe(
    Effect.flatMap(([users, access]) => use(users, access)),
    Effect.mapError((error) =>
      error instanceof ValidationError
        ? new CommandFailed({ message: sentences(error, argumentNames) })
        : error instanceof UserNotFound
          ? new CommandFailed({ message: `No user has the e-mail address ${error.user}.` })
          : error,
    ),
    asSystem(storage),
  )

const printApiKey = (apiKey: Redacted.Redacted) =>
  Console.log(`API key, shown only now: ${Redacted.value(apiKey)}`)
