/** The layer that `createErrata` builds from its options. */
import { hostname } from "node:os"
import { ErrataConfig, WebAddress } from "@errata/core"
import { Keyring, NodeName, SharedClock } from "@errata/core/ports"
import { Clock, Effect, Layer, Option, Tracer } from "effect"
import * as BackgroundClock from "./BackgroundClock.js"
import * as ErrataLayer from "./ErrataLayer.js"
import type { ErrataOptions } from "./ErrataOptions.js"
import * as Log from "./Log.js"
import { effectTracer } from "./OpenTelemetryTracer.js"
import * as StoragePorts from "./StoragePorts.js"

export const make = (
  options: ErrataOptions,
  settings: typeof ErrataConfig.Service,
  baseUrl: string | undefined,
) => {
  const {
    access,
    adapters,
    environment,
    log,
    notifications,
    now,
    project,
    release,
    serverName,
    storage,
    tracer,
    transports,
  } = options
  // The application's clock, if it has one, replaces that of the storage.
  const [clockOfStorage, clockOfApplication] =
    now === undefined
      ? [SharedClock.layer, Layer.empty]
      : [
          Layer.empty,
          Layer.effect(
            Clock.Clock,
            Effect.map(Clock.Clock, (own) => SharedClock.clockOf(own, now)),
          ),
        ]
  return ErrataLayer.layerUncalled(
    { access, environment, project, release, serverName, transports },
    storage.isExclusive !== true,
  ).pipe(
    Layer.provideMerge(layerKeyring(options)),
    Layer.provideMerge(clockOfStorage),
    Layer.provideMerge(ErrataLayer.layerNotifications(notifications)),
    Layer.provideMerge(StoragePorts.layer(storage.name)),
    Layer.provideMerge(adapters ?? Layer.empty),
    Layer.provideMerge(storage.layer),
    Layer.provideMerge(Layer.succeed(NodeName, `${hostname()}:${process.pid}:embedded`)),
    Layer.provideMerge(
      baseUrl === undefined ? Layer.empty : Layer.succeed(WebAddress, baseUrl.replace(/\/+$/, "")),
    ),
    Layer.provideMerge(Layer.succeed(ErrataConfig, settings)),
    Layer.provideMerge(clockOfApplication),
    Layer.provideMerge(
      tracer === undefined
        ? Layer.empty
        : Layer.succeed(Tracer.Tracer, "startSpan" in tracer ? effectTracer(tracer) : tracer),
    ),
    Layer.provideMerge(BackgroundClock.layer),
    Layer.provideMerge(Log.layer(log)),
  )
}

// internal

/** The configured keys, else the storage's own. */
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
