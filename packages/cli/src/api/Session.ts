/** Runs a command with a client for the selected server, and explains its failures. */
import { apiPath } from "@errata/api"
import type { ErrataClient } from "@errata/api/client"
import { Cause, DateTime, Effect, Option, Redacted, Stream } from "effect"
import { CommandFailed, notFound, usageError } from "../ErrorOutput.js"
import type { ConnectionChoice } from "./ApiOptions.js"
import { type Connection, connection } from "./Connection.js"
import { explained, type Failure } from "./Failures.js"
import { print, printJson, ReaderGone } from "./Output.js"

export type Client = ErrataClient["Service"]

export interface Session {
  readonly client: Client
  readonly url: string
  /**
   * Returns an API document as Markdown, by its path below the API's path. Call it only for documents that exist: it
   * does not distinguish failures.
   */
  readonly markdown: (path: string) => Effect.Effect<string, Failure>
  /** Returns the id of the given project, of the default project, or of the only project. */
  readonly projectId: (given: Option.Option<string>) => Effect.Effect<number, Failure | CommandFailed>
}

/** Runs a command against the server that its options, the environment or the profile name. */
export const connected = <A, E extends Failure | CommandFailed | ReaderGone, R>(
  choice: ConnectionChoice,
  use: (session: Session) => Effect.Effect<A, E, R>,
) =>
  Effect.flatMap(connection(choice), (known) =>
    Effect.flatMap(openSession(known), use).pipe(
      Effect.mapError(explained(known.url)),
      Effect.catchDefect((defect) => unexpected(defect, known.apiKey)),
      Effect.catchIf(
        (error) => error instanceof ReaderGone,
        () => Effect.void,
      ),
      Effect.asVoid,
    ),
  )

/** The session of a command about one project. */
export interface ProjectSession extends Session {
  /** The id of the selected project. */
  readonly project: number
}

/** Runs a command about one project. */
export const inProject = <A, E extends Failure | CommandFailed | ReaderGone, R>(
  choice: ConnectionChoice & { readonly project: Option.Option<string> },
  use: (session: ProjectSession) => Effect.Effect<A, E, R>,
) =>
  connected(choice, (session) =>
    Effect.flatMap(session.projectId(choice.project), (project) => use({ ...session, project })),
  )

/** Prints a response as JSON, or as lines for people. */
export const show = <A>(
  { json }: Pick<ConnectionChoice, "json">,
  answer: A,
  lines: (answer: A, now: DateTime.DateTime) => ReadonlyArray<string>,
) => (json ? printJson(answer) : Effect.flatMap(DateTime.now, (now) => print(lines(answer, now))))

/** Returns an id as it is, or looks up a name. */
export const findProject = (client: Client, text: string): Effect.Effect<number, Failure | CommandFailed> =>
  /^\d+$/.test(text)
    ? Effect.succeed(Number(text))
    : Effect.flatMap(client.projects.list({ name: text, limit: 1 }), ({ projects }) =>
        projects[0] === undefined
          ? notFound(`this API key has access to no project named "${text}"`)
          : Effect.succeed(projects[0].id),
      )

/** Returns an id as it is, or the id of the first item of a list that is wanted. */
export const findId = <A extends { readonly id: number }, E>(
  text: string,
  items: Stream.Stream<A, E>,
  isWanted: (item: A) => boolean,
  missing: string,
): Effect.Effect<number, E | CommandFailed> =>
  /^\d+$/.test(text)
    ? Effect.succeed(Number(text))
    : Effect.flatMap(
        Stream.runHead(Stream.filter(items, isWanted)),
        Option.match({ onNone: () => notFound(missing), onSome: ({ id }) => Effect.succeed(id) }),
      )

// internal

/** The client is loaded before the first request, because help and completions do not need it. */
const openClient = (baseUrl: string, apiKey: Redacted.Redacted): Effect.Effect<Client> =>
  Effect.flatMap(
    Effect.promise(() => import("@errata/api/client")),
    ({ ErrataClient }) =>
      Effect.provide(ErrataClient, ErrataClient.layerFetch({ baseUrl, apiKey, retries: { times: 2 } })),
  )

const openSession = ({ apiKey, project, url }: Connection): Effect.Effect<Session> =>
  Effect.map(openClient(url, apiKey), (client) => ({
    client,
    url,
    markdown: (path) => readMarkdown(`${url}${apiPath("service")}${path}`, apiKey),
    projectId: (given) =>
      Option.match(
        Option.orElse(given, () => project),
        {
          onNone: () => onlyProject(client),
          onSome: (text) => findProject(client, text),
        },
      ),
  }))

/** Returns the only project that the caller can see. With several projects, the command must name one. */
const onlyProject = (client: Client): Effect.Effect<number, Failure | CommandFailed> =>
  Effect.flatMap(client.projects.list({ limit: 2 }), ({ projects: [first, ...more] }) =>
    first !== undefined && more.length === 0
      ? Effect.succeed(first.id)
      : usageError(
          first === undefined
            ? "This API key has access to no project. Create one with errata projects create NAME, or ask an admin to add you to one."
            : "No project is selected. Give --project, set ERRATA_PROJECT, or choose one with errata projects use.",
        ),
  )

const readMarkdown = (address: string, apiKey: Redacted.Redacted): Effect.Effect<string, Failure> => {
  const request = `GET ${new URL(address).pathname}`
  return Effect.flatMap(
    Effect.promise(() => import("@errata/api/client")),
    ({ ConnectionFailed, UnexpectedAnswer }) =>
      Effect.tryPromise({
        try: async (signal) => {
          const response = await fetch(address, {
            headers: { accept: "text/markdown", authorization: `Bearer ${Redacted.value(apiKey)}` },
            redirect: "manual",
            signal,
          })
          return {
            status: response.status,
            contentType: response.headers.get("content-type"),
            text: await response.text(),
          }
        },
        // The cause is not shown, because it may contain the request.
        catch: () => new ConnectionFailed({ request, reason: "transport", detail: "the connection failed" }),
      }).pipe(
        Effect.flatMap(({ contentType, status, text }) =>
          status === 200 && contentType?.startsWith("text/markdown") === true
            ? Effect.succeed(text)
            : new UnexpectedAnswer({ request, status, contentType, detail: "the response is not Markdown" }),
        ),
      ),
  )
}

/** Reports a bug like other errors, and masks the API key in it. */
const unexpected = (defect: unknown, apiKey: Redacted.Redacted) => {
  const text = Cause.pretty(Cause.die(defect)).replaceAll(Redacted.value(apiKey), "…")
  return Effect.andThen(
    Effect.logDebug(text),
    new CommandFailed({
      message: `Unexpected error: ${text.split("\n", 1)[0]}. Run with --log-level debug for details.`,
    }),
  )
}
