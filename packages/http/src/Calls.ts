/** Answers the REST API to actors of the process. It loads neither a server nor pages. */
import type { Actor, NotSignedIn, Services, StorageError } from "@errata/core"
import { Context, Effect, type Scope } from "effect"
import { HttpEffect } from "effect/http"
import type { HttpApp } from "./HttpApp.js"
import { type HttpOptions, settingsOf } from "./HttpOptions.js"
import { LocalCaller } from "./LocalCaller.js"
import * as ApiApp from "./rest/ApiApp.js"

/** The operations of the REST API without HTTP. */
export interface Calls {
  /** Answers a request as an actor, whatever the request carries. */
  readonly as: (
    caller: Effect.Effect<Actor, NotSignedIn | StorageError>,
    request: Request,
  ) => Promise<Response>
  /** The API, which a `Mount` with the same options can share. */
  readonly api: ApiApp.ApiApp
}

/** Answers while its scope is open. */
export const make = (
  options: HttpOptions = {},
): Effect.Effect<Calls, never, Services.Services | Scope.Scope> =>
  Effect.gen(function* () {
    const settings = settingsOf(options, () => "")
    const api = yield* ApiApp.make(settings)
    const app = ApiApp.answer(api, settings).pipe(Effect.provide(api.context), ApiApp.addressed(settings))
    const answer = HttpEffect.toWebHandlerWith<never, Effect.Services<HttpApp>>(
      yield* Effect.context<never>(),
    )(app)
    return { api, as: (caller, request) => answer(request, Context.make(LocalCaller, caller)) }
  })
