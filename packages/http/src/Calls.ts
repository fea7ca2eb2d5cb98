/** Runs REST calls for actors in the process. Loads neither the HTTP server nor pages. */
import { Params, Problem, queryOf, routes } from "@errata/api/internal"
import type { ReceivedAnswer, SentRequest } from "@errata/api/promise"
import {
  type Actor,
  CurrentActor,
  type NotSignedIn,
  type Services,
  type StorageError,
  WebAddress,
} from "@errata/core"
import { DecodeIssues } from "@errata/core/internal"
import { Cause, Effect, Exit, Option, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { documentOf, headersOf } from "./ProblemDocument.js"
import * as AuthorizedBody from "./rest/AuthorizedBody.js"
import type { BodyRequest } from "./rest/BodyRequest.js"
import * as CalledGroups from "./rest/CalledGroups.js"
import { validationFailedOf } from "./rest/Issues.js"
import * as JsonText from "./rest/JsonText.js"
import { toProblems } from "./rest/Problems.js"
import { isProblem, unexpected } from "./rest/UnexpectedFailure.js"

/** The operations of the REST API without HTTP. */
export interface Calls {
  /** Runs a call as an actor. Rejects if the signal is aborted. */
  readonly as: (
    caller: Effect.Effect<Actor, NotSignedIn | StorageError>,
    call: SentRequest,
    signal: AbortSignal | undefined,
  ) => Promise<ReceivedAnswer>
}

/** Options for links in responses. */
export interface CallOptions {
  /** Public URL of the instance, for links in responses. */
  readonly baseUrl?: string | undefined
}

/** Builds the calls from the services in the context. */
export const make = ({ baseUrl }: CallOptions = {}): Effect.Effect<Calls, never, Services.Services> =>
  Effect.gen(function* () {
    const services = yield* Effect.context<Services.Services>()
    const handlersOf = CalledGroups.make(services)
    const address = baseUrl?.replace(/\/+$/, "") || null
    return {
      as: async (caller, call, signal) => {
        const [group, name] = call.endpoint
        const handled = Effect.gen(function* () {
          const actor = yield* actorOf(caller)
          const params = yield* paramsOf(call)
          const query = yield* decodedQuery(call)
          const answer = handlersOf(group)[name]!({ params, query, request: requestOf(call) })
          return yield* Effect.provideService(answer, CurrentActor, actor)
        }).pipe(
          Effect.map((value) => answerOf(routeOf(group, name), value)),
          Effect.catchCause((cause) => refusalOf(cause, call, address ?? "")),
          Effect.provideService(WebAddress, address),
          Effect.provideService(AuthorizedBody.RequestBodies, calledBodies),
        )
        const exit = await Effect.runPromiseExitWith(services)(handled, { signal })
        if (Exit.isSuccess(exit)) return exit.value
        throw signal?.aborted === true ? signal.reason : Cause.squash(exit.cause)
      },
    }
  })

// internal

type Route = readonly [method: string, path: string, status: number, ...has: ReadonlyArray<string>]

const routeOf = (group: string, name: string): Route =>
  (routes as unknown as Readonly<Record<string, Readonly<Record<string, Route>>>>)[group]![name]!

/** The body of a call, in place of the message that brings one over the network. */
class CalledBody {
  constructor(readonly bytes: Buffer) {}
}

const requestOf = ({ body }: SentRequest): BodyRequest => ({
  headers: { "content-type": "application/json" },
  source: new CalledBody(Buffer.from(body ?? "")),
})

const calledBodies: AuthorizedBody.RequestBodies["Service"] = {
  receive: ({ source }) => {
    const { bytes } = source as CalledBody
    return bytes.length > JsonText.maxBytes
      ? Effect.fail(JsonText.tooLarge())
      : Effect.succeed({ bytes, sender: null })
  },
}

const actorOf = (caller: Effect.Effect<Actor, NotSignedIn | StorageError>) =>
  caller.pipe(
    Effect.catchTag("NotSignedIn", () => Effect.fail(Problem.unauthorized("No active user has this id"))),
    toProblems,
  )

// A path with an id that cannot be one leads nowhere.
const paramsOf = ({ params }: SentRequest) =>
  Effect.map(
    Effect.forEach(Object.entries(params), ([name, text]) =>
      Effect.map(Schema.decodeUnknownEffect(Params.pathParam(name))(text), (value) => [name, value] as const),
    ),
    Object.fromEntries,
  ).pipe(Effect.mapError(() => Problem.notFound("No such page")))

const decodedQuery = ({ endpoint: [group, name], query }: SentRequest) =>
  routeOf(group, name).includes("query")
    ? Effect.mapError(
        Schema.decodeUnknownEffect(
          queryOf(group, name),
          DecodeIssues.parseOptions,
        )(Object.fromEntries(query)),
        ({ issue }) => validationFailedOf(DecodeIssues.of(issue)),
      )
    : Effect.succeed(undefined)

/** Views are JSON but for their times, which know how they are written. */
const answerOf = ([, , status, ...has]: Route, value: unknown): ReceivedAnswer => ({
  status,
  headers: new Headers(),
  body: has.includes("bytes")
    ? bytesOf(value as HttpServerResponse.HttpServerResponse)
    : value === undefined
      ? new Uint8Array()
      : Buffer.from(JSON.stringify(value)),
})

const bytesOf = ({ body }: HttpServerResponse.HttpServerResponse): Uint8Array =>
  body._tag === "Uint8Array" ? body.body : new Uint8Array()

const refusalOf = (cause: Cause.Cause<unknown>, { method, name }: SentRequest, baseUrl: string) => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  const failure = Cause.findErrorOption(cause)
  const problem =
    Option.isSome(failure) && isProblem(failure.value)
      ? Effect.succeed(failure.value)
      : unexpected(cause, method, name.slice(method.length + 1))
  return Effect.map(
    problem,
    (problem): ReceivedAnswer => ({
      status: problem.status,
      headers: new Headers(headersOf(problem)),
      body: Buffer.from(documentOf(problem, baseUrl)),
    }),
  )
}
