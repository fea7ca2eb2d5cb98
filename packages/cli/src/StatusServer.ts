/** The state of a server over its address: the probes of load balancers for everybody, each check for admins. */
import type { HealthView } from "@errata/api"
import { type Duration, Effect, type Either, type Redacted } from "effect"
import type { StatusCheck, StatusCode } from "./StatusAdvice.js"

export interface ServerState {
  readonly isStopped: boolean
  readonly isUp: boolean
  readonly isReady: boolean
  readonly checks: ReadonlyArray<StatusCheck>
}

export const askServer = (address: string): Effect.Effect<ServerState> =>
  Effect.gen(function* () {
    const up = yield* ask(`${address}/up`, "up")
    const isStopped = up === "not at all"
    const isUp = up === "as it should"
    const isReady = isUp && (yield* ask(`${address}/ready`, "ready")) === "as it should"
    const check = (name: string, ok: boolean, code: StatusCode): StatusCheck => ({
      name,
      ok,
      code: ok ? null : isStopped ? "server_stopped" : code,
    })
    return {
      isStopped,
      isUp,
      isReady,
      checks: [
        check("server", !isStopped, "server_stopped"),
        check("up", isUp, "up_failing"),
        check("ready", isReady, "ready_failing"),
      ],
    }
  })

/** The server's own report, or a sentence with the reason for its refusal. */
export const askDetails = (
  baseUrl: string,
  apiKey: Redacted.Redacted,
  serviceName: string,
): Effect.Effect<Either.Either<HealthView, string>> =>
  Effect.promise(() => import("@errata/api/client")).pipe(
    Effect.flatMap(({ ErrataClient }) =>
      Effect.provide(
        Effect.flatMap(ErrataClient, (client) => client.health.details()),
        ErrataClient.layerFetch({
          baseUrl,
          apiKey,
          serviceName,
          timeout: longestAnswer,
          retries: { times: 0 },
        }),
      ),
    ),
    Effect.mapError((failure) =>
      failure._tag === "Unauthorized"
        ? "The server does not accept the API key."
        : failure._tag === "Forbidden"
          ? "The API key is not an admin's."
          : "The server does not answer the question for its checks.",
    ),
    Effect.either,
  )

// internal

const longestAnswer: Duration.DurationInput = "10 seconds"

type Answer = "as it should" | "otherwise" | "not at all"

/** Requests an address: its answer should be 200 with just this body. */
const ask = (url: string, body: string): Effect.Effect<Answer> =>
  Effect.tryPromise(async (signal) => {
    const response = await fetch(url, { redirect: "manual", signal })
    return response.status === 200 && (await response.text()) === body ? "as it should" : "otherwise"
  }).pipe(
    Effect.orElseSucceed(() => "not at all" as const),
    // The port is open, and no answer comes.
    Effect.timeoutTo({
      duration: longestAnswer,
      onSuccess: (answer) => answer,
      onTimeout: () => "otherwise" as const,
    }),
  )
