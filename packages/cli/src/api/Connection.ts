/** Selects the server and the API key. Precedence: options, environment, profile. */
import { Config, Effect, Option, Redacted } from "effect"
import { CommandFailed, exitCodes, usageError } from "../ErrorOutput.js"
import type { ConnectionChoice } from "./ApiOptions.js"
import { type Profile, readProfile } from "./Profile.js"

export interface Connection {
  readonly url: string
  readonly apiKey: Redacted.Redacted
  /** The default project. */
  readonly project: Option.Option<string>
}

/** Returns the URL from the option, the environment or the profile. */
export const knownUrl = (choice: Pick<ConnectionChoice, "url">) =>
  Effect.flatMap(given(choice.url, "ERRATA_URL"), (url) =>
    Option.isSome(url)
      ? Effect.succeed(url)
      : Effect.map(
          readProfile,
          Option.map((profile) => profile.url),
        ),
  )

export const connection = (choice: Pick<ConnectionChoice, "url" | "apiKey">) =>
  Effect.gen(function* () {
    const url = Option.map(yield* given(choice.url, "ERRATA_URL"), normalUrl)
    const apiKey = Option.isSome(choice.apiKey) ? choice.apiKey : yield* environmentKey
    const project = yield* given(Option.none(), "ERRATA_PROJECT")
    // A complete choice does not depend on the profile.
    const profile =
      Option.isSome(url) && Option.isSome(apiKey) && Option.isSome(project)
        ? Option.none<Profile>()
        : yield* readProfile
    const server = yield* Option.match(
      Option.orElse(url, () => Option.map(profile, (known) => known.url)),
      {
        onNone: () =>
          denied("No server is selected. Log in with errata login, give --url, or set ERRATA_URL."),
        onSome: Effect.succeed,
      },
    )
    if (!isHttpUrl(server)) {
      return yield* usageError(
        badUrl(
          Option.isSome(choice.url) ? "--url" : Option.isSome(url) ? "ERRATA_URL" : "The profile's server",
        ),
      )
    }
    // The profile's key and project belong to its server. Other servers must not receive them.
    const matching = Option.filter(profile, (known) => known.url === server)
    const key = yield* Option.match(
      Option.orElse(apiKey, () => Option.map(matching, (known) => known.api_key)),
      {
        onNone: () =>
          denied(
            `No API key for ${server}. Log in with errata login --url ${server}, or set ERRATA_API_KEY.`,
          ),
        onSome: Effect.succeed,
      },
    )
    const isFromEnvironment = Option.isNone(choice.apiKey) && Option.isSome(apiKey)
    yield* checkForm(key, isFromEnvironment ? "ERRATA_API_KEY is" : "This is")
    return {
      url: server,
      apiKey: key,
      project: Option.orElse(project, () => Option.flatMapNullishOr(matching, (known) => known.project)),
    } satisfies Connection
  })

/** Returns the API key for a server from the option, the environment or the profile. */
export const knownKey = (option: ConnectionChoice["apiKey"], url: string) =>
  Effect.gen(function* () {
    const given = Option.isSome(option) ? option : yield* environmentKey
    // An unreadable profile is not an error, because the key is optional here.
    const profile = Option.isSome(given)
      ? Option.none()
      : yield* Effect.orElseSucceed(readProfile, Option.none)
    const key = Option.orElse(given, () =>
      Option.map(
        Option.filter(profile, (known) => known.url === url),
        (known) => known.api_key,
      ),
    )
    if (Option.isSome(key))
      yield* checkForm(key.value, Option.isSome(option) ? "This is" : "ERRATA_API_KEY is")
    return key
  })

/** Removes trailing slashes, so that a server has one URL. */
export const normalUrl = (url: string): string => url.trim().replace(/\/+$/, "")

/** The URL itself is not shown, because it may contain a password. */
export const badUrl = (name: string) =>
  `${name} must be an http or https URL without credentials, query or fragment.`

/** True for http and https URLs of a server. Credentials are not allowed, because messages show the URL. */
export const isHttpUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hash, password, protocol, search, username } = new URL(text)
  return /^https?:$/.test(protocol) && [hash, password, search, username].every((part) => part === "")
}

// internal

const given = (option: Option.Option<string>, name: string) =>
  Option.isSome(option)
    ? Effect.succeed(option)
    : Effect.orElseSucceed(Config.option(Config.NonEmptyString(name)), Option.none<string>)

const environmentKey = Effect.orElseSucceed(
  Config.option(Config.Redacted("ERRATA_API_KEY")),
  Option.none<Redacted.Redacted>,
)

/**
 * Rejects text that cannot be an API key before it is sent. The text is not shown, because it may be another secret.
 */
const checkForm = (apiKey: Redacted.Redacted, name: string) =>
  /^[\x21-\x7e]+$/.test(Redacted.value(apiKey).trim())
    ? Effect.void
    : usageError(`${name} not an API key. A key has visible ASCII characters and no spaces.`)

const denied = (message: string) => Effect.fail(new CommandFailed({ message, exitCode: exitCodes.denied }))
