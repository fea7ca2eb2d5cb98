/** An instance as layers: what `createErrata` is made of, for programs on Effect. */
import {
  type AccessDenied,
  AccessPolicy,
  decodingTransports,
  type IngestTransport,
  type ProjectBinding,
  type RecorderSignal,
  Services,
  type StorageError,
  type ValidationError,
} from "@errata/core"
import { Recorder, RecorderWorker } from "@errata/core/internal"
import {
  BundleReader,
  type GroupEventStore,
  type NotificationTarget,
  NotificationTargets,
  OutboundClient,
  PayloadDecoder,
  type PendingPayloads,
} from "@errata/core/ports"
import { NodeOutboundClient } from "@errata/http/outbound"
import { SentryPayloadDecoder } from "@errata/sentry"
import {
  Engine,
  FrameMapping,
  HostedMapFetcher,
  type HostedMaps,
  SourceMapEngine,
  ZipBundleReader,
} from "@errata/sourcemap"
import { Effect, Layer } from "effect"
import { Capture, type CaptureOptions } from "./Capture.js"
import * as FirstProject from "./FirstProject.js"
import * as GroupListeners from "./GroupListeners.js"
import { orProvided } from "./Provided.js"
import * as Unrecorded from "./Unrecorded.js"

export { errorReporter, logger, reporting } from "./Reporting.js"

/** The options of the layers of an instance. */
export interface LayerOptions extends CaptureOptions {
  /** The project of errors whose context names none, by its key. By default the oldest one without a key, or a new one. */
  readonly project?: string | ProjectBinding | undefined
  /** Who may do what; the specification's rules unless told. */
  readonly access?: AccessPolicy.AccessRules | undefined
  /** Transports whose payloads the instance decodes besides those of Sentry SDKs. */
  readonly transports?: ReadonlyArray<IngestTransport<unknown>> | undefined
  /** Kinds of targets of notifications, besides those that are provided as `NotificationTargets`. */
  readonly notifications?: ReadonlyArray<NotificationTarget> | undefined
}

/** What is in an instance besides its stores. */
export type Instance = InstanceServices | InstanceWorkers | Capture | FirstProject.FirstProject

/** Every service of the core, and what hears of their changes. */
export type InstanceServices = InstanceIntake | Services.Services

/** What takes errors in, and what hears of what becomes of them. */
export type InstanceIntake =
  | Services.IntakeServices
  | GroupListeners.GroupListeners
  | GroupEventStore
  | Unrecorded.Unrecorded
  | PendingPayloads
  | PayloadDecoder
  | SourceMapEngine

/** What the workers work with. */
export type InstanceWorkers = Recorder | OutboundClient | HostedMaps

/** The services of the core, and listeners to what happens in them. Nothing runs by itself. */
export const layerServices = (
  access?: AccessPolicy.AccessRules,
): Layer.Layer<InstanceServices, never, Services.Stores> =>
  Layer.provideMerge(layerCalls, layerIntake(access))

/** What runs by itself: recording, mapping frames, periodic work, and sending to webhooks. It ends with its scope. */
export const layerWorkers: Layer.Layer<
  InstanceWorkers,
  never,
  Services.Stores | PayloadDecoder | RecorderSignal | SourceMapEngine
> = Layer.mergeAll(
  RecorderWorker.layer,
  Services.layerBackground,
  Services.layerDispatcher,
  Services.layerMapping,
).pipe(
  Layer.provideMerge(Recorder.Default),
  Layer.provideMerge(FrameMapping.layerHosted),
  Layer.provideMerge(HostedMapFetcher.layer),
  Layer.provideMerge(orProvided(OutboundClient, NodeOutboundClient.layer)),
)

/**
 * An instance at work on whatever storage is provided, with a project to report to. If a `PayloadDecoder`, `OutboundClient`,
 * `SourceMapEngine` or `BundleReader` is provided as well, the instance uses it instead of its own.
 */
export const layer = (
  options: LayerOptions = {},
): Layer.Layer<Instance, AccessDenied | StorageError | ValidationError, Services.Stores> =>
  Layer.provideMerge(layerCalls, layerUncalled(options)).pipe(
    Layer.provideMerge(layerNotifications(options.notifications)),
  )

/** The kinds of targets that are provided, and more, which replace those of the same name. */
export const layerNotifications = (targets: ReadonlyArray<NotificationTarget> = []): Layer.Layer<never> =>
  targets.length === 0
    ? Layer.empty
    : Layer.effect(
        NotificationTargets,
        Effect.map(NotificationTargets, (provided) => [
          ...provided.filter(({ kind }) => !targets.some((target) => target.kind === kind)),
          ...targets,
        ]),
      )

/** The same without the services that only calls need. */
export const layerUncalled = (
  options: LayerOptions,
  isShared = true,
): Layer.Layer<
  InstanceIntake | InstanceWorkers | Capture | FirstProject.FirstProject,
  AccessDenied | StorageError | ValidationError,
  Services.Stores
> =>
  layerWorkers.pipe(
    Layer.provideMerge(Capture.Default(options)),
    Layer.provideMerge(FirstProject.layer(options.project ?? null, isShared)),
    Layer.provideMerge(layerIntake(options.access, options.transports)),
  )

/** Those services. Built later, they are built with the memo map of the rest, because they share what both stand on. */
export const layerCalls: Layer.Layer<
  Exclude<Services.Services, Services.IntakeServices>,
  never,
  Services.Stores | PayloadDecoder | SourceMapEngine | Services.IntakeServices
> = Layer.provide(Services.layerCalls, [orProvided(BundleReader, ZipBundleReader.layer), FrameMapping.layer])

// internal

const layerIntake = (
  access: AccessPolicy.AccessRules = AccessPolicy.defaultRules,
  transports: ReadonlyArray<IngestTransport<unknown>> = [],
): Layer.Layer<InstanceIntake, never, Services.Stores> =>
  Services.layerIntake(access).pipe(
    Layer.provideMerge(Layer.mergeAll(GroupListeners.layer, Unrecorded.layer)),
    Layer.provideMerge(orProvided(SourceMapEngine, Engine.layer)),
    Layer.provideMerge(
      Layer.effect(
        PayloadDecoder,
        Effect.map(PayloadDecoder, (decoder) => decodingTransports(decoder, transports)),
      ),
    ),
    Layer.provideMerge(orProvided(PayloadDecoder, SentryPayloadDecoder.layer())),
  )
