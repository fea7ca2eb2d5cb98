import type { Problem } from "@errata/api/internal"
import { type Actor, CurrentActor } from "@errata/core"
import { Context, Effect, type Schema } from "effect"
import type { BodyRequest } from "./BodyRequest.js"
import * as JsonText from "./JsonText.js"

/** A complete body. */
export interface ReceivedBody {
  readonly bytes: Buffer
  /** The sender according to the current key. Null if the body had arrived before the key was first checked. */
  readonly sender: Actor | null
}

/** Reads the bodies of requests, or of in-process calls. */
export class RequestBodies extends Context.Service<
  RequestBodies,
  {
    readonly receive: (
      request: BodyRequest,
    ) => Effect.Effect<
      ReceivedBody,
      Problem.BadRequest | Problem.ContentTooLarge | Problem.ServiceUnavailable | Problem.Unauthorized
    >
  }
>()("@errata/http/rest/RequestBodies") {}

/**
 * Checks permissions, reads the body, and acts. Nothing is read before the first check. The sender may lose access
 * while a body arrives, so permissions and key are checked again unless it had already arrived. `decode` parses it.
 */
export const use = <A, I, Allowed, E, R, B, E2, R2>(
  request: BodyRequest,
  schema: Schema.Codec<A, I>,
  access: Effect.Effect<Allowed, E, R>,
  act: (body: A, allowed: Allowed) => Effect.Effect<B, E2, R2>,
  decode: typeof JsonText.decode<A, I> = JsonText.decode,
): Effect.Effect<
  B,
  E | E2 | JsonText.JsonProblem | Problem.ContentTooLarge | Problem.Unauthorized | Problem.ServiceUnavailable,
  R | R2 | RequestBodies
> =>
  Effect.gen(function* () {
    const allowed = yield* access
    const bodies = yield* RequestBodies
    const { bytes, sender } = yield* bodies.receive(request)
    const go = (allowed: Allowed) =>
      Effect.flatMap(decode(request, bytes, schema), (body) => act(body, allowed))
    if (sender === null) return yield* go(allowed)
    return yield* Effect.flatMap(access, go).pipe(Effect.provideService(CurrentActor, sender))
  })
