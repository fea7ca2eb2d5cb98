import type { Problem } from "@errata/api"
import { CurrentActor } from "@errata/core"
import { Effect, type Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { ApiKeys } from "./ApiKeys.js"
import * as JsonBody from "./JsonBody.js"

/**
 * Does something with the body of a request and with what its sender may do. That is looked at before the body: nothing
 * is read for whom it is not taken from. A body may be long on its way, and its sender lose access meanwhile, so it is
 * looked at once more, the key included, where the body was not here the first time. `decode` reads the body.
 */
export const use = <A, I, Allowed, E, R, B, E2, R2>(
  request: HttpServerRequest.HttpServerRequest,
  schema: Schema.Codec<A, I>,
  access: Effect.Effect<Allowed, E, R>,
  act: (body: A, allowed: Allowed) => Effect.Effect<B, E2, R2>,
  decode: typeof JsonBody.decode<A, I> = JsonBody.decode,
): Effect.Effect<
  B,
  E | E2 | JsonBody.BodyProblem | Problem.Unauthorized | Problem.ServiceUnavailable,
  R | R2 | ApiKeys | JsonBody.JsonMemory
> =>
  Effect.gen(function* () {
    const allowed = yield* access
    const wasHere = JsonBody.isHere(request)
    const bytes = yield* JsonBody.bytesOf(request)
    const go = (allowed: Allowed) =>
      Effect.flatMap(decode(request, bytes, schema), (body) => act(body, allowed))
    if (wasHere) return yield* go(allowed)
    const { authenticate } = yield* ApiKeys
    const actor = yield* authenticate(request)
    return yield* Effect.flatMap(access, go).pipe(Effect.provideService(CurrentActor, actor))
  })
