/** Has an instance send to webhooks, as a node with the role of a worker does. */
import { defaultSettings, ErrataConfig, type ErrataSettings, Services, WebAddress } from "@errata/core"
import { RetryPolicy } from "@errata/core/internal"
import { SentryPayloadDecoder } from "@errata/sentry"
import { Deferred, Duration, Effect, Layer } from "effect"
import { NodeOutboundClient } from "../../src/index.js"
import type { TestInstance } from "./TestInstance.js"

/** Starts a dispatcher that retries soon. Returns a function that stops it. */
export const start = (
  errata: TestInstance,
  settings: Partial<ErrataSettings> = {},
): (() => Promise<void>) => {
  const stop = Deferred.makeUnsafe<void>()
  const ended = errata.run(
    Effect.scoped(
      Effect.andThen(
        Layer.build(
          Services.layerDispatcher.pipe(
            Layer.provide([NodeOutboundClient.layer, SentryPayloadDecoder.layer()]),
          ),
        ),
        Deferred.await(stop),
      ),
    ).pipe(
      Effect.provideService(WebAddress, errata.url),
      Effect.provideService(RetryPolicy.RetryPauses, {
        first: Duration.millis(20),
        longest: Duration.millis(50),
      }),
      Effect.provideService(ErrataConfig, { ...defaultSettings, allowPrivateAddresses: true, ...settings }),
    ),
  )
  return async () => {
    Effect.runSync(Deferred.succeed(stop, undefined))
    await ended
  }
}
