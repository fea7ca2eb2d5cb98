/** Queries a server over its address: the probes of load balancers, and each check for admins. */
import type { HealthView } from "@errata/api"
import { type Duration, Effect, type Redacted, type Result } from "effect"
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
    const isStopped = up === "none"
    const isUp = up === "expected"
    const isReady = isUp && (yield* ask(`${address}/ready`, "ready")) === "expected"
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

/** Returns the server's own report, or a sentence with the reason for its refusal. */
export const askDetails = (
  baseUrl: string,
  apiKey: Redacted.Redacted,
  serviceName: string,
): Effect.Effect<Result.Result<HealthView, string>> =>
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
        ? "The server rejects the API key."
        : failure._tag === "Forbidden"
          ? "The API key does not belong to an admin."
          : "The server does not report its checks.",
    ),
    Effect.result,
  )

// internal

const longestAnswer: Duration.Input = "10 seconds"

type Answer = "expected" | "unexpected" | "none"

/** Requests an address. The expected response is 200 with exactly this body. */
const ask = (url: string, body: string): Effect.Effect<Answer> =>
  Effect.tryPromise(async (signal) => {
    const response = await fetch(url, { redirect: "manual", signal })
    return response.status === 200 && (await response.text()) === body ? "expected" : "unexpected"
  }).pipe(
    Effect.orElseSucceed(() => "none" as const),
    // The port is open, but no response arrives.
    Effect.timeoutOrElse({
      duration: longestAnswer,
      orElse: () => Effect.succeed("unexpected" as const),
    }),
  )
