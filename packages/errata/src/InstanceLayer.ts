/** The layer that `createErrata` builds from its options. */
import { hostname } from "node:os"
import { ErrataConfig, Keyring, Layers, NodeName, SharedClock, WebAddress } from "@errata/core"
import { Clock, Effect, Layer, Option, Tracer } from "effect"
import * as BackgroundClock from "./BackgroundClock.js"
import * as ErrataLayer from "./ErrataLayer.js"
import type { ErrataOptions } from "./ErrataOptions.js"
import * as Log from "./Log.js"
import { effectTracer } from "./OpenTelemetryTracer.js"

export const make = (
  options: ErrataOptions,
  settings: typeof ErrataConfig.Service,
  baseUrl: string | undefined,
) => {
  const { access, adapters, environment, log, now, project, release, serverName, storage, tracer } = options
  return Layers.inOrder(
    Log.layer(log),
    BackgroundClock.layer,
    tracer === undefined
      ? Layer.empty
      : Layer.succeed(Tracer.Tracer, "startSpan" in tracer ? effectTracer(tracer) : tracer),
    now === undefined
      ? Layer.empty
      : Layer.effect(
          Clock.Clock,
          Effect.map(Clock.Clock, (own) => SharedClock.clockOf(own, now)),
        ),
    Layer.succeed(ErrataConfig, settings),
    baseUrl === undefined ? Layer.empty : Layer.succeed(WebAddress, baseUrl.replace(/\/+$/, "")),
    Layer.succeed(NodeName, `${hostname()}:${process.pid}:embedded`),
    storage.layer,
    adapters ?? Layer.empty,
    // A clock that was given is the application's own.
    now === undefined ? SharedClock.layer : Layer.empty,
    layerKeyring(options),
    ErrataLayer.layerUncalled({ access, environment, project, release, serverName }),
  )
}

// internal

/** The keys that are given, else the storage's own. */
const layerKeyring = ({ encryptionKey, storage }: ErrataOptions) =>
  Layer.effect(
    Keyring.Keyring,
    Effect.gen(function* () {
      const own = storage.ownKeys === undefined ? [] : yield* storage.ownKeys(encryptionKey === undefined)
      if (encryptionKey === undefined) return own
      const given = Keyring.parseKeys(encryptionKey)
      // The storage's keys still open older secrets.
      if (Option.isSome(given)) return [...given.value, ...own]
      return yield* Effect.fail({ message: "encryptionKey must be 32 bytes in base64 or hexadecimal" })
    }),
  )
