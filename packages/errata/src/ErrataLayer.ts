/** The layers of `createErrata`, for programs that use Effect. */
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
  /** Key of the project for errors that name none. Default: the oldest project without a key, or a new one. */
  readonly project?: string | ProjectBinding | undefined
  /** Access rules. Default: the rules of the REST API. */
  readonly access?: AccessPolicy.AccessRules | undefined
  /** Transports whose payloads the instance decodes besides those of Sentry SDKs. */
  readonly transports?: ReadonlyArray<IngestTransport<unknown>> | undefined
  /** Kinds of notification targets besides those that are provided as `NotificationTargets`. */
  readonly notifications?: ReadonlyArray<NotificationTarget> | undefined
}

/** The services of an instance without its stores. */
export type Instance = InstanceServices | InstanceWorkers | Capture | FirstProject.FirstProject

/** All services of the core, and the listeners to their changes. */
export type InstanceServices = InstanceIntake | Services.Services

/** Services that accept events, and those that observe their recording. */
export type InstanceIntake =
  | Services.IntakeServices
  | GroupListeners.GroupListeners
  | GroupEventStore
  | Unrecorded.Unrecorded
  | PendingPayloads
  | PayloadDecoder
  | SourceMapEngine

/** Services that the workers need. */
export type InstanceWorkers = Recorder | OutboundClient | HostedMaps

/** The services of the core, and listeners to their changes. Starts no workers. */
export const layerServices = (
  access?: AccessPolicy.AccessRules,
): Layer.Layer<InstanceServices, never, Services.Stores> =>
  Layer.provideMerge(layerCalls, layerIntake(access))

/** The background workers: recording, frame mapping, periodic jobs and webhooks. They stop when the scope closes. */
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
 * A running instance on any storage, with a project to report to. A provided `PayloadDecoder`, `OutboundClient`,
 * `SourceMapEngine` or `BundleReader` replaces the instance's own.
 */
export const layer = (
  options: LayerOptions = {},
): Layer.Layer<Instance, AccessDenied | StorageError | ValidationError, Services.Stores> =>
  Layer.provideMerge(layerCalls, layerUncalled(options)).pipe(
    Layer.provideMerge(layerNotifications(options.notifications)),
  )

/** Adds kinds of notification targets to those that are provided. A kind of the same name is replaced. */
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

/** `layer` without the services that only calls need. */
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

/** The services that only calls need. Build them with the memo map of the others, so that both share dependencies. */
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
