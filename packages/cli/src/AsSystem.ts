import { Actor, CurrentActor, ErrataConfig, Services, StorageError, ValidationError } from "@errata/core"
import { SentryPayloadDecoder } from "@errata/sentry"
import { Effect, Layer } from "effect"
import { CommandFailed, sentences, usageError } from "./ErrorOutput.js"
import { instanceSettings } from "./InstanceSettings.js"
import { openExisting } from "./Storage.js"
import { type StorageFlags, storageChoice } from "./StorageOptions.js"

/**
 * Runs on the services of a storage as the system, because anyone who can start a command on the host owns the
 * instance.
 */
export const asSystem =
  (flags: StorageFlags) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const choice = yield* storageChoice(flags)
      if (choice.kind === "memory") {
        return yield* usageError(
          "Memory storage exists only inside its server process. Use the API, or another storage.",
        )
      }
      const settings = yield* instanceSettings
      const storage = yield* openExisting(choice)
      return yield* effect.pipe(
        Effect.provideService(CurrentActor, Actor.System()),
        Effect.provide(Services.layer.pipe(Layer.provide([storage.layer, SentryPayloadDecoder.layer()]))),
        Effect.provideService(ErrataConfig, settings),
        Effect.mapError((error) =>
          error instanceof StorageError
            ? new CommandFailed({ message: storage.explain(error) })
            : error instanceof ValidationError
              ? new CommandFailed({ message: sentences(error) })
              : error,
        ),
      )
    }).pipe(Effect.scoped)
