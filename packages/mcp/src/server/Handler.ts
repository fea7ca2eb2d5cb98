/** Handles requests to `/mcp`. */
import { Actor, CurrentActor, ErrataConfig, type Services, WebAddress } from "@errata/core"
import { Effect, type Scope } from "effect"
import { Caller, type Scopes } from "./Caller.js"
import { makeServer } from "./Registrations.js"
import * as Transport from "./Transport.js"

/** An authenticated request. */
export interface Call {
  /** URL and headers, without the body. */
  readonly request: Request
  readonly body: string
  readonly actor: Actor
  /** The address of the OAuth metadata; null if the instance has no base URL. */
  readonly resourceMetadataUrl: string | null
  /** Base URL for links, or null if the instance does not know it. */
  readonly webAddress: string | null
}

/** Responds to a call of an MCP client. */
export type Handler = (call: Call) => Promise<Response>

export const make: Effect.Effect<Handler, never, Services.Services | Scope.Scope> = Effect.gen(function* () {
  const { serviceName } = yield* ErrataConfig
  const scopes: Scopes = { read: `${serviceName}.read`, write: `${serviceName}.write` }
  const services = yield* Effect.context<Services.Services>()
  const fork = Effect.runForkWith(services)

  const transport = Transport.make(
    ({ authInfo }) => {
      // Only this module passes callers to the library.
      if (!(authInfo instanceof Caller)) throw new Error("The request has no caller")
      const { actor, asked, webAddress } = authInfo
      return makeServer(
        (effect, signal) =>
          Effect.runPromiseWith(services)(
            effect.pipe(
              Effect.provideService(CurrentActor, widened(actor)),
              Effect.provideService(WebAddress, webAddress),
            ),
            { signal },
          ),
        scopes,
        asked,
      )
    },
    {
      streams: false,
      onError: (error) => fork(Effect.logDebug("An MCP request was rejected or failed", error)),
    },
  )
  yield* Effect.addFinalizer(() => Effect.promise(transport.close))

  return ({ actor, body, request, resourceMetadataUrl, webAddress }) =>
    transport.handle(
      request,
      body,
      (asked) => new Caller(actor, scopes, resourceMetadataUrl, webAddress, asked),
    )
})

// internal

/** Write access includes read access. */
const widened = (actor: Actor): Actor =>
  actor._tag === "Person" && actor.grants.includes("write")
    ? Actor.Person({ user: actor.user, grants: ["read", ...actor.grants] })
    : actor
