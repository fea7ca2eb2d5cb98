/**
 * The calls of the REST API without a network: the same client, which is answered by the same handlers, so that rules,
 * names and failures are those of the contract and written once.
 */
import { clientOver, type ErrataClient } from "@errata/api/promise"
import { Actor, NotSignedIn, type StorageError, UserId } from "@errata/core"
import type { UserStore } from "@errata/core/ports"
import { Effect, Option, Schema } from "effect"

/** Answers a request as an actor of the process. */
export type AnswerAs = (
  caller: Effect.Effect<Actor, NotSignedIn | StorageError>,
  request: Request,
) => Promise<Response>

/** `answer` gets the name of the call besides, for messages. */
export const clientAs = (
  caller: Effect.Effect<Actor, NotSignedIn | StorageError>,
  serviceName: string,
  answer: (name: string, ...args: Parameters<AnswerAs>) => Promise<Response>,
): ErrataClient =>
  clientOver({ baseUrl: origin, serviceName }, async ({ body, method, name, url }, signal) => {
    signal?.throwIfAborted()
    const request = new Request(url, {
      method,
      body,
      ...(body === null ? {} : { headers: { "content-type": "application/json" } }),
      ...(signal === undefined ? {} : { signal }),
    })
    const response = await unlessAborted(answer(name, caller, request), signal)
    return {
      status: response.status,
      headers: response.headers,
      body: new Uint8Array(await response.arrayBuffer()),
    }
  })

export const system: Effect.Effect<Actor> = Effect.succeed(Actor.System())

/** A user as they are at the time of each call: what they may do then. */
export const activeUser = (
  users: UserStore["Service"],
  id: number,
): Effect.Effect<Actor, NotSignedIn | StorageError> =>
  Schema.is(UserId)(id)
    ? Effect.flatMap(users.find(id), (found) =>
        Option.isSome(found) && found.value.active
          ? Effect.succeed(Actor.Person({ user: found.value }))
          : new NotSignedIn(),
      )
    : new NotSignedIn()

// internal

/** No request leaves the process: a name that there cannot be, in place of none. */
const origin = "http://errata.invalid"

/** Callers who have gone are not kept until the answer. */
const unlessAborted = <A>(answer: Promise<A>, signal: AbortSignal | undefined): Promise<A> => {
  if (signal === undefined) return answer
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener("abort", abort, { once: true })
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })
}
