import { Actor, CurrentActor, Services } from "@errata/core"
import { SentryPayloadDecoder } from "@errata/sentry"
import { Effect, Layer } from "effect"
import { layer, type StorageChoice } from "./StorageOptions.js"

/** Runs on the services of a storage as the system: whoever may start a command on the host owns the instance. */
export const asSystem = (storage: StorageChoice) => {
  const services = Services.layer.pipe(Layer.provide([layer(storage), SentryPayloadDecoder.layer()]))
  return <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(Effect.provideService(CurrentActor, Actor.System()), Effect.provide(services))
}
