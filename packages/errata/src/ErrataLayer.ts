/** An instance as layers: what `createErrata` is made of, for programs on Effect. */
import {
  type AccessDenied,
  AccessPolicy,
  BundleReader,
  type GroupEventStore,
  Layers,
  OutboundClient,
  PayloadDecoder,
  type PendingPayloads,
  type ProjectBinding,
  Recorder,
  type RecorderSignal,
  RecorderWorker,
  Services,
  type StorageError,
  type ValidationError,
} from "@errata/core"
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
import { Layer } from "effect"
import { Capture, type CaptureOptions } from "./Capture.js"
import * as FirstProject from "./FirstProject.js"
import * as GroupListeners from "./GroupListeners.js"
import { orProvided } from "./Provided.js"
import * as Unrecorded from "./Unrecorded.js"

export { errorReporter, logger, reporting } from "./Reporting.js"

export interface LayerOptions extends CaptureOptions {
  /** The project of errors whose context names none, by its key. By default the oldest one without a key, or a new one. */
  readonly project?: string | ProjectBinding | undefined
  /** Who may do what; the specification's rules unless told. */
  readonly access?: AccessPolicy.AccessRules | undefined
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
> = Layers.inOrder(
  orProvided(OutboundClient, NodeOutboundClient.layer),
  HostedMapFetcher.layer,
  FrameMapping.layerHosted,
  Recorder.Default,
  // What is under way in them is finished at the same time.
  Layer.mergeAll(
    RecorderWorker.layer,
    Services.layerBackground,
    Services.layerDispatcher,
    Services.layerMapping,
  ),
)

/**
 * An instance at work on whatever storage is provided, with a project to report to. If a `PayloadDecoder`, `OutboundClient`,
 * `SourceMapEngine` or `BundleReader` is provided as well, the instance uses it instead of its own.
 */
export const layer = (
  options: LayerOptions = {},
): Layer.Layer<Instance, AccessDenied | StorageError | ValidationError, Services.Stores> =>
  Layer.provideMerge(layerCalls, layerUncalled(options))

/** The same without the services that only calls need. */
export const layerUncalled = (
  options: LayerOptions,
): Layer.Layer<
  InstanceIntake | InstanceWorkers | Capture | FirstProject.FirstProject,
  AccessDenied | StorageError | ValidationError,
  Services.Stores
> =>
  Layers.inOrder(
    layerIntake(options.access),
    FirstProject.layer(options.project ?? null),
    Capture.Default(options),
    layerWorkers,
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
): Layer.Layer<InstanceIntake, never, Services.Stores> =>
  Layers.inOrder(
    orProvided(PayloadDecoder, SentryPayloadDecoder.layer()),
    orProvided(SourceMapEngine, Engine.layer),
    GroupListeners.layer,
    Unrecorded.layer,
    Services.layerIntake(access),
  )
