/** Which server is meant, and as whom it is asked: options go before the environment, that before the profile. */
import { Config, Effect, Option, Redacted } from "effect"
import { CommandFailed, exitCodes } from "../ErrorOutput.js"
import type { ConnectionChoice } from "./ApiOptions.js"
import { type Profile, readProfile } from "./Profile.js"

export interface Connection {
  readonly url: string
  readonly apiKey: Redacted.Redacted
  /** The project that is meant where no option names one. */
  readonly project: Option.Option<string>
}

/** The address given by option, environment or profile, if there is one. */
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
    // What is given in full does not depend on a file.
    const profile =
      Option.isSome(url) && Option.isSome(apiKey) && Option.isSome(project)
        ? Option.none<Profile>()
        : yield* readProfile
    const server = yield* Option.match(
      Option.orElse(url, () => Option.map(profile, (known) => known.url)),
      {
        onNone: () => denied("Which server? Log in (errata login), give --url, or set ERRATA_URL."),
        onSome: Effect.succeed,
      },
    )
    if (!isHttpUrl(server)) {
      return yield* new CommandFailed({
        message: badUrl(
          Option.isSome(choice.url) ? "--url" : Option.isSome(url) ? "ERRATA_URL" : "The profile's server",
        ),
        exitCode: exitCodes.usage,
      })
    }
    // The profile's key and project are those of its server: another one must not see them.
    const matching = Option.filter(profile, (known) => known.url === server)
    const key = yield* Option.match(
      Option.orElse(apiKey, () => Option.map(matching, (known) => known.api_key)),
      {
        onNone: () =>
          denied(`No API key for ${server}. Log in (errata login --url ${server}), or set ERRATA_API_KEY.`),
        onSome: Effect.succeed,
      },
    )
    const isFromEnvironment = Option.isNone(choice.apiKey) && Option.isSome(apiKey)
    yield* checkForm(key, isFromEnvironment ? "ERRATA_API_KEY is" : "This is")
    return {
      url: server,
      apiKey: key,
      project: Option.orElse(project, () => Option.flatMapNullable(matching, (known) => known.project)),
    } satisfies Connection
  })

/** The key for the server at an address, by option, environment or profile, if there is one. */
export const knownKey = (option: ConnectionChoice["apiKey"], url: string) =>
  Effect.gen(function* () {
    const given = Option.isSome(option) ? option : yield* environmentKey
    // Another user's profile is no reason to fail: a key may be missing here.
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

/** Without the slash at its end, so that one server has one address. */
export const normalUrl = (url: string): string => url.trim().replace(/\/+$/, "")

/** The address itself is not shown: it may hold a password. */
export const badUrl = (name: string) =>
  `${name} must be an http or https URL without credentials, query and fragment.`

/** Whether a server can be at it. Credentials have no place in it: they would be shown with it. */
export const isHttpUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hash, password, protocol, search, username } = new URL(text)
  return /^https?:$/.test(protocol) && [hash, password, search, username].every((part) => part === "")
}

// internal

const given = (option: Option.Option<string>, name: string) =>
  Option.isSome(option)
    ? Effect.succeed(option)
    : Effect.orElseSucceed(Config.option(Config.nonEmptyString(name)), Option.none<string>)

const environmentKey = Effect.orElseSucceed(
  Config.option(Config.redacted(Config.nonEmptyString("ERRATA_API_KEY"))),
  Option.none<Redacted.Redacted>,
)

/** What is no key at all is not sent anywhere. It is not shown: it may be the one of something else. */
const checkForm = (apiKey: Redacted.Redacted, name: string) =>
  /^[\x21-\x7e]+$/.test(Redacted.value(apiKey).trim())
    ? Effect.void
    : new CommandFailed({
        message: `${name} no API key: it must be a word of visible ASCII characters.`,
        exitCode: exitCodes.usage,
      })

const denied = (message: string) => Effect.fail(new CommandFailed({ message, exitCode: exitCodes.denied }))
