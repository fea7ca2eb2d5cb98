/** `errata login` and `errata logout`: store and delete the server's URL and the API key. */
import { Config, Effect, Option, Redacted } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import { CommandFailed, usageError } from "../ErrorOutput.js"
import { toggle } from "../Toggle.js"
import { badUrl, isHttpUrl, normalUrl } from "./Connection.js"
import { note } from "./Output.js"
import { readProfile, removeProfile, writeProfile } from "./Profile.js"
import { connected, findProject } from "./Session.js"
import { StandardInput } from "./StandardInput.js"

const options = {
  url: Flag.String("url").pipe(
    Flag.withFallbackConfig(Config.NonEmptyString("ERRATA_URL")),
    Flag.optional,
    Flag.withDescription("URL of the server. Prompted for on a terminal. Environment: ERRATA_URL"),
  ),
  withKey: toggle("with-key", "Read the API key from standard input instead of prompting"),
  project: Flag.String("project").pipe(
    Flag.withAlias("p"),
    Flag.optional,
    Flag.withDescription("Id or exact name of the default project"),
  ),
}

export const login = Command.make("login", options, (choice) =>
  Effect.gen(function* () {
    const input = yield* StandardInput
    const isTerminal = input.isTerminal()
    // An unreadable profile is replaced.
    const former = Option.flatten(yield* Effect.option(readProfile))
    const url = normalUrl(
      yield* Option.match(choice.url, {
        onSome: Effect.succeed,
        onNone: () =>
          isTerminal && !choice.withKey
            ? askUrl(Option.match(former, { onNone: () => defaultUrl, onSome: (known) => known.url }))
            : usageError("No server is selected. Give --url."),
      }),
    )
    if (!isHttpUrl(url)) {
      return yield* usageError(badUrl(Option.isSome(choice.url) ? "--url" : "The URL of the server"))
    }
    const key = choice.withKey
      ? yield* input.read
      : isTerminal
        ? Redacted.value(yield* ask(Prompt.Hidden({ message: "API key" })))
        : yield* usageError("Standard input is not a terminal. To read the API key from it, give --with-key.")
    const apiKey = Redacted.make(key.trim())
    yield* connected({ json: false, url: Option.some(url), apiKey: Option.some(apiKey) }, ({ client }) =>
      Effect.gen(function* () {
        const seen = yield* client.projects.list({ limit: 1 })
        const project = yield* Option.match(choice.project, {
          // The only visible project becomes the default.
          onNone: () =>
            Effect.succeed(formerProject(former, url) ?? (seen.has_more ? undefined : seen.projects[0]?.id)),
          onSome: (text) => findProject(client, text),
        })
        const path = yield* writeProfile({
          url,
          api_key: apiKey,
          ...(project !== undefined && { project: String(project) }),
        })
        yield* note(`Logged in to ${url}. The API key is stored in ${path}, which only you can read.`)
        if (project !== undefined) yield* note(`The default project is ${project}.`)
        if (isExposed(url))
          yield* note("The URL is not https, so others on the network can read the API key.")
      }),
    )
  }),
).pipe(Command.withDescription("Store the URL of a server and an API key for other commands"))

export const logout = Command.make("logout", {}, () =>
  Effect.gen(function* () {
    const wasLoggedIn = yield* removeProfile
    yield* note(
      wasLoggedIn ? "Logged out. The API key is still valid on the server." : "You were not logged in.",
    )
  }),
).pipe(Command.withDescription("Delete the stored URL and API key"))

// internal

const defaultUrl = "http://127.0.0.1:4000"

/** An empty answer selects the URL in parentheses. A default of the prompt would be text to delete. */
const askUrl = (known: string) =>
  Effect.map(ask(Prompt.String({ message: `URL of the server (${known})` })), (typed) =>
    typed.trim() === "" ? known : typed,
  )

/** Runs a prompt. Ctrl-C leaves everything unchanged. */
const ask = <A>(prompt: Prompt.Prompt<A>) =>
  Effect.catchTag(
    Prompt.run(prompt),
    "QuitError",
    () => new CommandFailed({ message: "Nothing was changed." }),
  )

const formerProject = (
  former: Option.Option<{ readonly url: string; readonly project?: string | undefined }>,
  url: string,
): string | undefined =>
  Option.getOrUndefined(former)?.url === url ? Option.getOrUndefined(former)?.project : undefined

const isExposed = (url: string): boolean => {
  const { hostname, protocol } = new URL(url)
  return protocol === "http:" && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
