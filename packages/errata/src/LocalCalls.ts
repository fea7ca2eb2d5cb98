/** The REST API without a network: the same client and handlers, so that rules, names and failures are equal. */
import { clientOver, type ErrataClient, type ReceivedAnswer } from "@errata/api/promise"
import { Actor, NotSignedIn, type StorageError, UserId } from "@errata/core"
import type { UserStore } from "@errata/core/ports"
import type { Calls } from "@errata/http/calls"
import { Effect, Option, Schema } from "effect"

/** The actor of a call, evaluated for each call. */
export type Caller = Effect.Effect<Actor, NotSignedIn | StorageError>

/** `answer` also receives the name of the call, for messages. */
export const clientAs = (
  caller: Caller,
  serviceName: string,
  answer: (name: string, ...args: Parameters<Calls["as"]>) => Promise<ReceivedAnswer>,
): ErrataClient =>
  clientOver({ baseUrl: origin, serviceName }, async (sent, signal) => {
    signal?.throwIfAborted()
    return unlessAborted(answer(sent.name, caller, sent, signal), signal)
  })

export const system: Effect.Effect<Actor> = Effect.succeed(Actor.System())

/** The user with the permissions at the time of the call. */
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

/** A reserved name, since no request leaves the process. */
const origin = "http://errata.invalid"

/** Rejects on abort without waiting for the response. */
const unlessAborted = <A>(answer: Promise<A>, signal: AbortSignal | undefined): Promise<A> => {
  if (signal === undefined) return answer
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener("abort", abort, { once: true })
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })
}
