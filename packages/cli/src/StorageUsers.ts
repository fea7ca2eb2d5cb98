/** Manages users and their API keys directly on the storage, for users of the host. */
import type { SignInLinkView } from "@errata/api"
import { signInLinkView, userView } from "@errata/api/internal"
import {
  AccessPolicy,
  type Role,
  SignIn,
  type SignInLink,
  signInLinkUrl,
  UserNotFound,
  Users,
  ValidationError,
} from "@errata/core"
import { DateTime, Effect, Option, Redacted } from "effect"
import { asSystem } from "./AsSystem.js"
import type { PageChoice } from "./api/ApiOptions.js"
import { note, print, printJson } from "./api/Output.js"
import { userColumns } from "./api/UserText.js"
import { CommandFailed, sentences } from "./ErrorOutput.js"
import * as ServedAddress from "./ServedAddress.js"
import * as ServerSettings from "./ServerSettings.js"
import * as Setting from "./Setting.js"
import { listStored } from "./StorageListing.js"
import { type StorageFlags, storageChoice } from "./StorageOptions.js"

export const create = (
  storage: StorageFlags,
  user: { readonly name: string; readonly emailAddress: string; readonly role: Role },
  isJson: boolean,
) =>
  withUsers(storage, (users, access) =>
    Effect.gen(function* () {
      const allowed = yield* access.instance("users.administer")
      const created = yield* users.invite(allowed, user)
      const link = yield* linkView(storage, created.link)
      if (isJson) {
        // The same shape as the API's response, plus the key, which only the storage returns.
        const apiKey = Redacted.value(created.apiKey)
        return yield* printJson({ ...userView(created.user), ...link, api_key: apiKey })
      }
      yield* print(`Created ${created.user.role} ${created.user.emailAddress} with id ${created.user.id}.`)
      yield* printApiKey(created.apiKey)
      yield* printLink(link)
    }),
  )

export const signInLink = (storage: StorageFlags, emailAddress: string, isJson: boolean) =>
  withUsers(storage, (users, access) =>
    Effect.gen(function* () {
      const { id } = yield* users.findByEmailAddress(yield* access.instance("users.read"), emailAddress)
      const signIn = yield* SignIn
      const created = yield* signIn.createLink(yield* access.instance("users.administer"), id)
      const link = yield* linkView(storage, created)
      yield* isJson ? printJson(link) : printLink(link)
    }),
  )

export const list = (storage: StorageFlags, choice: PageChoice & { readonly json: boolean }) =>
  withUsers(storage, (users, access) =>
    Effect.flatMap(access.instance("users.read"), (allowed) =>
      listStored({
        choice,
        key: "users",
        columns: userColumns,
        empty: "No users.",
        read: (page) => users.list(allowed, page),
        view: userView,
      }),
    ),
  )

export const rotateKey = (storage: StorageFlags, emailAddress: string, isJson: boolean) =>
  withUsers(storage, (users, access) =>
    Effect.gen(function* () {
      const { id } = yield* users.findByEmailAddress(yield* access.instance("users.read"), emailAddress)
      const { apiKey } = yield* users.rotateApiKey(yield* access.instance("users.administer"), id)
      yield* note(`The previous API key of ${emailAddress} no longer works.`)
      yield* isJson ? printJson({ api_key: Redacted.value(apiKey) }) : printApiKey(apiKey)
    }),
  )

export const deactivate = (storage: StorageFlags, emailAddress: string) =>
  withUsers(storage, (users, access) =>
    Effect.gen(function* () {
      const { id } = yield* users.findByEmailAddress(yield* access.instance("users.read"), emailAddress)
      yield* users.deactivate(yield* access.instance("users.administer"), id)
      yield* note(`${emailAddress} no longer has access.`)
    }),
  )

// internal

/** Names of a user's fields in error messages. */
const argumentNames = { emailAddress: "email", name: "--name" }

const withUsers = <A, E, R>(
  storage: StorageFlags,
  use: (users: Users["Service"], access: AccessPolicy.AccessPolicy["Service"]) => Effect.Effect<A, E, R>,
) =>
  Effect.all([Users, AccessPolicy.AccessPolicy]).pipe(
    Effect.flatMap(([users, access]) => use(users, access)),
    Effect.mapError((error) =>
      error instanceof ValidationError
        ? new CommandFailed({ message: sentences(error, argumentNames) })
        : error instanceof UserNotFound
          ? new CommandFailed({ message: `No user has the email address ${error.user}.` })
          : error,
    ),
    asSystem(storage),
  )

const linkView = (storage: StorageFlags, { expiresAt, token }: SignInLink) =>
  Effect.map(serverUrl(storage), (url) =>
    // A command beside the server sends no mail.
    signInLinkView(signInLinkUrl(url, Redacted.value(token)), expiresAt, false),
  )

const printLink = ({ sign_in_link: url, sign_in_link_expires_at: end }: SignInLinkView) =>
  print(`Sign-in link (works once, until ${DateTime.formatIso(end)}): ${url}`)

/**
 * Returns the configured URL, the last URL of the server in this folder, or the URL from host and port. A database
 * has no address of a server.
 */
const serverUrl = Effect.fnUntraced(function* (flags: StorageFlags) {
  const given = yield* Setting.given(ServerSettings.baseUrl)
  if (Option.isSome(given)) return given.value.value.replace(/\/+$/, "")
  const choice = yield* storageChoice(flags)
  const served = choice.kind === "embedded" ? yield* ServedAddress.read(choice.dataDir) : Option.none()
  if (Option.isSome(served)) return served.value
  const host = yield* ServerSettings.valueOf(ServerSettings.host)
  const port = yield* Setting.given(ServerSettings.port)
  // The package of the server takes a third of a second to load.
  const { addressOf } = yield* Effect.promise(() => import("@errata/http"))
  const url = addressOf(host, Option.isSome(port) ? port.value.value : ServerSettings.port.default)
  if (Option.isNone(port)) {
    yield* note(`The link is for a server at ${url}. If it has another address, set ERRATA_BASE_URL.`)
  }
  return url
})

const printApiKey = (apiKey: Redacted.Redacted) =>
  print(`API key (shown only now): ${Redacted.value(apiKey)}`)
