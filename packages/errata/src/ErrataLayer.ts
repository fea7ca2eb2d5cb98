/** An instance as layers: what `createErrata` is made of, for programs on Effect. */
import {
  type AccessDenied,
  AccessPolicy,
  type GroupEventStore,
  type OutboundClient,
  type PayloadDecoder,
  type PendingPayloads,
  Recorder,
  type RecorderSignal,
  RecorderWorker,
  Services,
  type SourceMapEngine,
  type StorageError,
  type ValidationError,
} from "@errata/core"
import { NodeOutboundClient } from "@errata/http/outbound"
import { SentryPayloadDecoder } from "@errata/sentry"
import { Engine, ZipBundleReader } from "@errata/sourcemap"
import { Layer } from "effect"
import { Capture, type CaptureOptions } from "./Capture.js"
import * as FirstProject from "./FirstProject.js"
import * as GroupListeners from "./GroupListeners.js"
import * as Unrecorded from "./Unrecorded.js"

export interface LayerOptions extends CaptureOptions {
  /** The name of the project that errors belong to unless told; without it the oldest one, or a new one. */
  readonly project?: string | undefined
  /** Who may do what; the specification's rules unless told. */
  readonly access?: AccessPolicy.AccessRules | undefined
}

/** What is in an instance besides its stores. */
export type Instance = InstanceServices | InstanceWorkers | Capture | FirstProject.FirstProject

/** Every service of the core, and what hears of their changes. */
export type InstanceServices =
  | Services.Services
  | GroupListeners.GroupListeners
  | GroupEventStore
  | Unrecorded.Unrecorded
  | PendingPayloads
  | PayloadDecoder
  | SourceMapEngine

/** What the workers work with. */
export type InstanceWorkers = Recorder | OutboundClient

/** The services of the core, and listeners to what happens in them. Nothing runs by itself. */
export const layerServices = (
  access: AccessPolicy.AccessRules = AccessPolicy.defaultRules,
): Layer.Layer<InstanceServices, never, Services.Stores> =>
  Services.layerWith(access).pipe(
    Layer.provideMerge(Layer.merge(GroupListeners.layer, Unrecorded.layer)),
    Layer.provide(ZipBundleReader.layer),
    Layer.provideMerge(Layer.merge(SentryPayloadDecoder.layer(), Engine.layer)),
  )

/** What runs by itself: recording, mapping frames, periodic work, and sending to webhooks. It ends with its scope. */
export const layerWorkers: Layer.Layer<
  InstanceWorkers,
  never,
  Services.Stores | PayloadDecoder | RecorderSignal | SourceMapEngine
> = Layer.mergeAll(
  RecorderWorker.layer,
  Services.layerBackground,
  Services.layerDispatcher,
  Services.layerResolving,
).pipe(Layer.provideMerge(Recorder.Default), Layer.provideMerge(NodeOutboundClient.layer))

/** An instance at work on whatever storage is provided, with a project to report to. */
export const layer = (
  options: LayerOptions = {},
): Layer.Layer<Instance, AccessDenied | StorageError | ValidationError, Services.Stores> =>
  Layer.mergeAll(Capture.Default(options), layerWorkers).pipe(
    Layer.provideMerge(FirstProject.layer(options.project ?? null)),
    Layer.provideMerge(layerServices(options.access)),
  )
